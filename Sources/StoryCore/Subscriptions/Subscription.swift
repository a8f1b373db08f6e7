/// The subject of a subscription: events or rows.
package enum Subject: Equatable, Sendable {
    /// Events as they are in the log.
    case events
    /// One row, in its current state and after each change.
    case row(Kind, Identifier)
    /// The rows of a kind that pass all conditions: first the current ones, then each that enters, changes or leaves.
    case list(Kind, [Condition])

    /// The kind of the rows; nil for events.
    package var kind: Kind? {
        switch self {
        case .events: nil
        case .row(let kind, _), .list(let kind, _): kind
        }
    }

    /// True when events are followed instead of rows.
    package var isEvents: Bool {
        switch self {
        case .events: true
        case .row, .list: false
        }
    }
}

/// A subscription: a cursor into the log, and the state of its reader.
///
/// Catch-up and live are one sequence, because there is only this cursor: it continues from its position, independent
/// of the writer. A subscription to rows first lists the current ones, then follows the events that touch them.
package struct Subscription: Equatable, Sendable {
    /// The phase of a subscription.
    package enum Phase: Equatable, Sendable {
        /// Listing the current rows after this key of their index; nil means from the first.
        case listing(after: [UInt8]?)
        /// Reading earlier events from the log.
        case catchingUp
        /// At the head: the next commit is pushed at once.
        case live
        /// Formerly live; its reader has no room for the newer events.
        case behind
    }

    /// The next action for the subscriber.
    package enum Step: Equatable, Sendable {
        /// Do nothing until the next commit, or until the reader has room.
        case wait
        /// List current rows after this key of their index; nil means from the first.
        case list(after: [UInt8]?)
        /// Report that everything through this position was sent.
        case sayCaughtUp(Position)
        /// Report the number of events that wait.
        case sayBehind(UInt64)
        /// Send the matching events in this range.
        case send(from: Position, through: Position)
    }

    /// The ID within the connection.
    package let id: SubscriptionID
    /// The events to push, or those that touch the rows to push.
    package let selection: EventSelection
    /// The subject: events or rows.
    package let subject: Subject
    /// The first position that is not yet processed, where a new subscription would resume.
    package private(set) var next: Position
    /// The current phase.
    package private(set) var phase: Phase
    /// The rows that were shown in a state newer than the processed events, each with the position of that state.
    private var shown: [UInt64: Position] = [:]
    /// The maximum number of remembered rows; further rows are shown as of the processed event.
    private static let maxShown = 4_096
    /// False where no further rows may be remembered, for lack of memory.
    package var remembers = true
    /// The size of its selection and its subject, in bytes.
    let filterBytes: Int
    /// The capacity, in rows, that is kept while no row is remembered.
    private static let keptShown = 16
    /// The backlog, in events, at which a stalled reader falls behind, even where there is room.
    private static let minBehind: UInt64 = 1_024
    /// The steps of the list that unprocessed events may still contradict.
    private var steps = ListSteps()

    /// Creates a subscription whose first position is `next`.
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

    /// Returns the number of events from the cursor through the head.
    package func lag(head: Position) -> UInt64 { head < next ? 0 : head.value - next.value + 1 }

    /// Returns true when there is something to send once the reader has room.
    package func isWanting(head: Position) -> Bool {
        switch phase {
        case .listing: true
        case .catchingUp, .live, .behind: lag(head: head) > 0
        }
    }

    /// Returns the next action, and moves to the phase that it begins.
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

    /// Falls behind if the backlog is large, since the reader has not read the earlier output.
    package mutating func readerStandsStill(head: Position) {
        if phase == .live, lag(head: head) >= Subscription.minBehind { phase = .behind }
    }

    /// Records that the events through a position were processed, and the matching ones sent.
    package mutating func sent(through position: Position) {
        next = max(next, position.next)
        if !steps.isEmpty { steps.looked(through: position) }
    }

    /// Returns true when it was sent everything, and an event's stream or category decides whether it concerns it.
    package func hasAll(through head: Position) -> Bool {
        phase == .live && next == head.next && steps.isEmpty && selection.source != .all
    }

    /// Returns the same subscription after no event through a position concerned it.
    package func rested(through position: Position) -> Subscription {
        var rested = self
        rested.sent(through: position)
        return rested
    }

    // MARK: Rows

    /// Records that the rows through this key of their index were listed.
    package mutating func listed(through key: [UInt8]) {
        if case .listing = phase { phase = .listing(after: key) }
    }

    /// Records that the rows after those of the last step were listed in their last durable state.
    ///
    /// - Parameters:
    ///   - head: the last event that the index included.
    ///   - isWhole: true when these were the last rows.
    package mutating func listingStepped(durable: Position, head: Position, isWhole: Bool) {
        guard case .listing(let key) = phase else { return }
        if isWhole || key != nil {
            steps.add(through: isWhole ? nil : key, durable: durable, head: head, lookedAt: last)
        }
        if isWhole { listingEnded() }
    }

    /// Starts catching up, since all rows were listed.
    package mutating func listingEnded() {
        if case .listing = phase { phase = .catchingUp }
    }

    /// Restarts the list if it depends on events after a position, which were rolled back. Rows that were skipped
    /// because of them exist again, and it is unknown which.
    package mutating func rolledBack(to position: Position) {
        guard steps.saw(after: position) else { return }
        steps.beginAnew()
        phase = .listing(after: nil)
    }

    /// True while a row that enters or leaves the list may not have been shown, or is still to be listed.
    package var isInDoubt: Bool {
        if case .listing = phase { return steps.areTelling }
        return !steps.isEmpty
    }

    /// Returns true when a row with this key of the index is still to be listed.
    package func isAhead(_ key: [UInt8]) -> Bool {
        guard case .listing(let shown) = phase, steps.areTelling else { return false }
        return shown.map { $0.precedes(key) } ?? true
    }

    /// Decides whether a row that an event removed from the list had been shown.
    ///
    /// - Parameters:
    ///   - key: its key in the index before the event.
    ///   - change: the last event that changed the row before.
    ///   - event: the event that removed it, which is being processed.
    package func told(of key: [UInt8], since change: Position, until event: Position) -> ToldRow {
        isAhead(key) ? .no : steps.told(of: key, since: change, until: event)
    }

    /// Records that a row is shown as of the event at `state`, while events through `position` are processed.
    ///
    /// - Returns: false where it must be shown as of `position`, since no more rows can be remembered.
    package mutating func show(_ row: UInt64, as state: Position, at position: Position) -> Bool {
        guard state > position else { return true }
        guard remembers && shown.count < Subscription.maxShown || shown[row] != nil else { return false }
        shown[row] = state
        return true
    }

    /// Returns true when a row was already shown as of the event at this position, or as of a later one.
    package mutating func wasShown(_ row: UInt64, at position: Position) -> Bool {
        guard let state = shown[row] else { return false }
        if state <= position { forget(row) }
        return state >= position
    }

    /// The memory of the remembered rows and of a list's steps, in bytes.
    var rememberedBytes: Int {
        // A hash table has a third more slots than its capacity, of 16 bytes and one bit each.
        (shown.capacity > 0 ? 64 + shown.capacity * 22 : 0) + steps.keptBytes
    }

    private mutating func forget(_ row: UInt64) {
        shown[row] = nil
        // A dictionary keeps its storage, so it is released when the last of many rows is removed.
        if shown.isEmpty, shown.capacity > Subscription.keptShown { shown = [:] }
    }

    /// The last position that was processed.
    package var last: Position { Position(next.value - 1) }
}
