/// The steps in which a list was shown while its subscriber had not yet received all events. They decide whether a row
/// that left the list had been shown.
///
/// A step shows the rows of one part of the index in their last durable state. The index may already include later
/// events. Those are processed afterwards in order, and must not remove a row that the step did not show because its
/// index included them.
struct ListSteps: Equatable, Sendable {
    /// One step.
    private struct Step: Equatable {
        /// The last key of its part of the index; nil means that the part goes to the end.
        let through: [UInt8]?
        /// The last event that the shown rows included.
        let durable: Position
        /// The last event that the index included.
        let head: Position
        /// The last event that was processed before the step.
        let lookedAt: Position

        /// Returns true when a key is not after the step's part.
        func holds(_ key: [UInt8]) -> Bool { through.map { !$0.precedes(key) } ?? true }
    }

    /// The number of steps at which events are processed before more rows are shown.
    private static let maxCount = 16

    private var steps: [Step] = []
    /// The key through which rows were shown without doubt; nil means none.
    private var start: [UInt8]?
    /// False where rows were shown twice, since events were rolled back in between: then all rows count as shown.
    private var isExact = true

    /// True when no step is in doubt.
    var isEmpty: Bool { steps.isEmpty }

    /// The memory beside its own size, in bytes.
    var keptBytes: Int {
        steps.reduce(start?.capacity ?? 0) { $0 + MemoryLayout<Step>.stride + ($1.through?.count ?? 0) + 48 }
    }

    /// True when events should be processed before more steps are added.
    var isFull: Bool { steps.count >= ListSteps.maxCount && isExact }

    /// True when the steps can decide whether a row was shown.
    var areTelling: Bool { isExact }

    /// Returns true when the last step's index included events after a position.
    func saw(after position: Position) -> Bool { steps.last.map { $0.head > position } ?? false }

    /// Adds the step that showed the list through a key; nil means to the end.
    ///
    /// - Parameter last: the last event that was processed.
    mutating func add(through key: [UInt8]?, durable: Position, head: Position, lookedAt last: Position) {
        guard head > last || !steps.isEmpty else {
            start = key ?? start
            return
        }
        let step = Step(through: key, durable: durable, head: head, lookedAt: last)
        let isSame = steps.last.map { $0.durable == durable && $0.head == head && $0.lookedAt == last } ?? false
        if isSame || !isExact { steps = steps.dropLast() }
        steps.append(step)
    }

    /// Removes the steps once all events that their indexes included are processed.
    mutating func looked(through position: Position) {
        guard let last = steps.last, position >= last.head else { return }
        start = last.through ?? start
        steps = []
    }

    /// Restarts the list at its first row, since events that its steps included were rolled back.
    mutating func beginAnew() { (steps, start, isExact) = ([], nil, false) }

    /// Decides whether a row that an event removed from the list had been shown.
    ///
    /// - Parameters:
    ///   - key: its key in the index before the event.
    ///   - change: the last event that changed the row before.
    ///   - event: the event that removed it.
    func told(of key: [UInt8], since change: Position, until event: Position) -> ToldRow {
        guard isExact, start?.precedes(key) ?? true,
            let step = steps.first(where: { $0.holds(key) })
        else { return .yes }
        // Either the event that changed the row was processed after the step, and showed it, or the step's index did
        // not include the removal.
        if change > step.lookedAt || event > step.head { return .yes }
        return .ifListed(durable: step.durable, head: step.head)
    }
}

/// The decision whether a row was shown to a subscriber.
package enum ToldRow: Equatable, Sendable {
    case yes, no
    /// Yes if the row was the same at `durable`, and in the list at `head`.
    case ifListed(durable: Position, head: Position)
}
