/// What a subscriber is told of.
package enum Subject: Equatable, Sendable {
    /// Events as they lie in the log.
    case events
    /// One row, as it is now and at each change.
    case row(Kind, Identifier)
    /// The rows of a kind that pass all conditions: those there are, then each that enters, changes or leaves.
    case list(Kind, [Condition])

    /// True where events are followed, and not rows.
    package var isEvents: Bool {
        switch self {
        case .events: true
        case .row, .list: false
        }
    }
}

/// A subscription: a cursor into the log, and how the subscriber keeps up.
///
/// Catch-up and live are one sequence, because there is only this cursor: it goes on from where it is, whoever wrote.
/// Who watches rows is shown those that there are first, and then follows the events that touch them.
package struct Subscription: Equatable, Sendable {
    package enum Phase: Equatable, Sendable {
        /// Showing the rows that there are, behind this key of their index; nil: from the first one on.
        case listing(after: [UInt8]?)
        /// Reading what was there before.
        case catchingUp
        /// At the head: what is committed next goes out at once.
        case live
        /// Was live, and its reader has no room for what came since.
        case behind
    }

    /// What is to be done next for the subscriber.
    package enum Step: Equatable, Sendable {
        /// Nothing, until something is committed or the reader has room.
        case wait
        /// Show rows that there are, behind this key of their index; nil: from the first one on.
        case list(after: [UInt8]?)
        /// Say that everything up to here was sent.
        case sayCaughtUp(Position)
        /// Say that so many events wait.
        case sayBehind(UInt64)
        /// Send what matches among these.
        case send(from: Position, through: Position)
    }

    package let id: SubscriptionID
    /// The events that it is told of, or that touch the rows that it is told of.
    package let selection: EventSelection
    package let subject: Subject
    /// The first position that was not yet looked at: where a new subscription would resume.
    package private(set) var next: Position
    package private(set) var phase: Phase
    /// The rows that were shown in a newer state than that of the events looked at, each with the position of that.
    private var shown: [UInt64: Position] = [:]
    /// So many are remembered; other rows are shown as they were.
    private static let maxShown = 4_096
    /// False where no more rows are to be remembered than there are.
    package var remembers = true
    /// How many bytes its selection and its subject take.
    let filterBytes: Int
    /// Room for so many rows is kept where none is remembered.
    private static let keptShown = 16
    /// So many events wait for a reader who is behind, whatever room there is.
    private static let minBehind: UInt64 = 1_024
    /// How a list was shown, as far as events that were not looked at yet may say otherwise.
    private var steps = ListSteps()

    package init(
        id: SubscriptionID, selection: EventSelection, subject: Subject = .events, from next: Position
    ) {
        self.id = id
        self.selection = selection
        self.subject = subject
        self.next = next
        filterBytes = selection.keptBytes + subject.keptBytes
        phase = subject == .events ? .catchingUp : .listing(after: nil)
    }

    /// How many events lie between the subscriber and the head.
    package func lag(head: Position) -> UInt64 { head < next ? 0 : head.value - next.value + 1 }

    /// True when there is something to send once the reader has room.
    package func isWanting(head: Position) -> Bool {
        switch phase {
        case .listing: true
        case .catchingUp, .live, .behind: lag(head: head) > 0
        }
    }

    package mutating func step(head: Position, hasRoom: Bool) -> Step {
        if case .listing(let key) = phase {
            guard hasRoom else { return .wait }
            return steps.isFull && next <= head ? .send(from: next, through: head) : .list(after: key)
        }
        guard next <= head else {
            guard phase != .live, hasRoom else { return .wait }
            phase = .live
            return .sayCaughtUp(head)
        }
        guard hasRoom else {
            if phase == .live { phase = .behind }
            return .wait
        }
        if phase == .behind {
            phase = .catchingUp
            return .sayBehind(lag(head: head))
        }
        return .send(from: next, through: head)
    }

    /// The reader has not taken what was sent: one for whom much waits by now is behind.
    package mutating func readerStandsStill(head: Position) {
        if phase == .live, lag(head: head) >= Subscription.minBehind { phase = .behind }
    }

    /// Everything up to a position was looked at, and what matches was sent.
    package mutating func sent(through position: Position) {
        next = max(next, position.next)
        if !steps.isEmpty { steps.looked(through: position) }
    }

    /// True when it was sent everything, and can tell by an event's stream or category whether it is concerned.
    package func hasAll(through head: Position) -> Bool {
        phase == .live && next == head.next && steps.isEmpty && selection.source != .all
    }

    /// The same after no event up to a position concerned it.
    package func rested(through position: Position) -> Subscription {
        var rested = self
        rested.sent(through: position)
        return rested
    }

    // MARK: Rows

    /// The rows up to this key of their index were shown.
    package mutating func listed(through key: [UInt8]) {
        if case .listing = phase { phase = .listing(after: key) }
    }

    /// The rows behind the last step's were shown, as the durable events made them.
    ///
    /// - Parameters:
    ///   - head: the last event that the index knew.
    ///   - isWhole: whether those were all.
    package mutating func listingStepped(durable: Position, head: Position, isWhole: Bool) {
        guard case .listing(let key) = phase else { return }
        if isWhole || key != nil {
            steps.add(through: isWhole ? nil : key, durable: durable, head: head, lookedAt: last)
        }
        if isWhole { listingEnded() }
    }

    /// All rows were shown: what happened meanwhile comes next.
    package mutating func listingEnded() {
        if case .listing = phase { phase = .catchingUp }
    }

    /// Events after a position were undone: rows that were passed over because of them are there again. Which those are
    /// is not known, so the list is shown once more.
    package mutating func rolledBack(to position: Position) {
        guard steps.saw(after: position) else { return }
        steps.beginAnew()
        phase = .listing(after: nil)
    }

    /// True while a row that enters or leaves the list may be one that was not shown, or is to be shown yet.
    package var isInDoubt: Bool {
        if case .listing = phase { return steps.areTelling }
        return !steps.isEmpty
    }

    /// True when a row with this key of the index is to be shown yet, in its turn.
    package func isAhead(_ key: [UInt8]) -> Bool {
        guard case .listing(let shown) = phase, steps.areTelling else { return false }
        return shown.map { $0.lexicographicallyPrecedes(key) } ?? true
    }

    /// Whether the subscriber was told of a row that an event took out of the list.
    ///
    /// - Parameters:
    ///   - key: its key in the index before the event.
    ///   - change: the event that made it what it was before.
    ///   - event: the event that took it out, which is the one that is looked at.
    package func told(of key: [UInt8], since change: Position, until event: Position) -> ToldRow {
        isAhead(key) ? .no : steps.told(of: key, since: change, until: event)
    }

    /// Shows a row as it was after the event at `state`, while the events up to `position` were looked at.
    ///
    /// - Returns: false where it has to be shown as it was at `position`, because no more can be remembered.
    package mutating func show(_ row: UInt64, as state: Position, at position: Position) -> Bool {
        guard state > position else { return true }
        guard remembers && shown.count < Subscription.maxShown || shown[row] != nil else { return false }
        shown[row] = state
        return true
    }

    /// True when a row was shown already as it was after the event at this position, or as it was later.
    package mutating func wasShown(_ row: UInt64, at position: Position) -> Bool {
        guard let state = shown[row] else { return false }
        if state <= position { forget(row) }
        return state >= position
    }

    /// How many bytes the rows take that are remembered, and the steps of a list.
    var rememberedBytes: Int {
        // A dictionary has a third more room than it gives, of sixteen bytes and a bit each.
        (shown.capacity > 0 ? 64 + shown.capacity * 22 : 0) + steps.keptBytes
    }

    private mutating func forget(_ row: UInt64) {
        shown[row] = nil
        // A dictionary keeps its storage, which is returned with the last of many.
        if shown.isEmpty, shown.capacity > Subscription.keptShown { shown = [:] }
    }

    /// The last position that was looked at.
    package var last: Position { Position(next.value - 1) }
}
