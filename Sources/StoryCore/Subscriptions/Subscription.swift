/// A subscription to events: a cursor into the log, and how the subscriber keeps up.
///
/// Catch-up and live are one sequence, because there is only this cursor: it goes on from where it is, whoever wrote.
package struct Subscription: Equatable, Sendable {
    package enum Phase: Equatable, Sendable {
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
        /// Say that everything up to here was sent.
        case sayCaughtUp(Position)
        /// Say that so many events wait.
        case sayBehind(UInt64)
        /// Send what matches among these.
        case send(from: Position, through: Position)
    }

    package let id: SubscriptionID
    package let selection: EventSelection
    /// The first position that was not yet looked at: where a new subscription would resume.
    package private(set) var next: Position
    package private(set) var phase = Phase.catchingUp

    package init(id: SubscriptionID, selection: EventSelection, from next: Position) {
        self.id = id
        self.selection = selection
        self.next = next
    }

    /// How many events lie between the subscriber and the head.
    package func lag(head: Position) -> UInt64 { head < next ? 0 : head.value - next.value + 1 }

    package mutating func step(head: Position, hasRoom: Bool) -> Step {
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

    /// Everything up to a position was looked at, and what matches was sent.
    package mutating func sent(through position: Position) { next = max(next, position.next) }
}
