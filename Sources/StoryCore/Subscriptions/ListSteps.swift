/// The steps in which a list was shown while there were events that its watcher had not been told of yet. They say of a
/// row that has left whether it was shown before.
///
/// A step shows the rows of one part of the index as the durable events made them, as far as they are in the index,
/// which later events may have changed. Later the events are looked at in their order, and those that the step knew
/// already must not take away what it did not show.
struct ListSteps: Equatable, Sendable {
    private struct Step: Equatable {
        /// The last key of its part; nil: its part goes to the end.
        let through: [UInt8]?
        /// The rows were shown as the events up to here made them.
        let durable: Position
        /// The index was as the events up to here made it.
        let head: Position
        /// The events up to here had been looked at.
        let lookedAt: Position

        func holds(_ key: [UInt8]) -> Bool { through.map { !$0.lexicographicallyPrecedes(key) } ?? true }
    }

    /// Before there are more, events are looked at first.
    private static let maxCount = 16

    private var steps: [Step] = []
    /// What was shown up to this key is beyond doubt; nil: nothing is.
    private var start: [UInt8]?
    /// False where rows were shown twice, because events were undone between: then all rows count as shown.
    private var isExact = true

    /// True when no step is in doubt.
    var isEmpty: Bool { steps.isEmpty }

    /// How many bytes it takes beside its own size.
    var keptBytes: Int {
        steps.reduce(start?.capacity ?? 0) { $0 + MemoryLayout<Step>.stride + ($1.through?.count ?? 0) + 48 }
    }

    /// True when events should be looked at before there are more steps.
    var isFull: Bool { steps.count >= ListSteps.maxCount && isExact }

    /// True when it can be told of a row whether it was shown.
    var areTelling: Bool { isExact }

    /// True when an index was walked that events after a position had changed.
    func saw(after position: Position) -> Bool { steps.last.map { $0.head > position } ?? false }

    /// The list was shown through a key; nil: to the end.
    ///
    /// - Parameter last: the last event that was looked at.
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

    /// The events up to a position were looked at: a step that knew no later ones is beyond doubt.
    mutating func looked(through position: Position) {
        guard let last = steps.last, position >= last.head else { return }
        start = last.through ?? start
        steps = []
    }

    /// The list is shown once more from its first row on, because events were undone that its steps knew.
    mutating func beginAnew() { (steps, start, isExact) = ([], nil, false) }

    /// Whether a row was shown that an event took out of the list.
    ///
    /// - Parameters:
    ///   - key: its key in the index before the event.
    ///   - change: the event that made it what it was before.
    ///   - event: the event that took it out.
    func told(of key: [UInt8], since change: Position, until event: Position) -> ToldRow {
        guard isExact, start?.lexicographicallyPrecedes(key) ?? true,
            let step = steps.first(where: { $0.holds(key) })
        else { return .yes }
        // It was told with the event that changed it, which was looked at after the step; or the step knew nothing of its
        // leaving.
        if change > step.lookedAt || event > step.head { return .yes }
        return .ifListed(durable: step.durable, head: step.head)
    }
}

/// Whether a watcher was told of a row.
package enum ToldRow: Equatable, Sendable {
    case yes, no
    /// If it was the same row at the one position, and in the list at the other.
    case ifListed(durable: Position, head: Position)
}
