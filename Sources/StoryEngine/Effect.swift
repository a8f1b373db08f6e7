package import StoryCore

/// What the engine asks the shell to do, carried out in order.
package enum Effect: Equatable, Sendable {
    /// Append to the log; nothing that is said after it leaves before the turn's commit.
    case append(Event)
    case reply(SessionID, Tag?, Reply)
    case notify(SessionID, Notice)
    /// Answer with events read from the log, at the pace of the reader.
    case read(SessionID, Tag?, ReadPlan)
    /// Follow the log from a position on.
    case follow(SessionID, SubscriptionID, EventSelection, from: Position)
    case unfollow(SessionID, SubscriptionID)
    /// End a subscription and say so.
    case endFollowing(SessionID, SubscriptionID, reason: EndReason)
    /// Bring the stored models up to the log, then answer.
    case checkpoint(SessionID, Tag?)
    /// Check the whole log, then answer.
    case verify(SessionID, Tag?)
    /// Copy the log into a new directory, then answer.
    case backUp(SessionID, Tag?, path: String)
    /// Answer with the daemon's figures.
    case report(SessionID, Tag?)
    /// Answer from the request table.
    case help(SessionID, Tag?, topic: String?)
    /// Send what waits, then close.
    case finish(SessionID)
}

/// Which events answer a `READ`, names resolved.
package struct ReadPlan: Equatable, Sendable {
    package enum Source: Equatable, Sendable {
        case all
        case stream(StreamNumber)
        case category(UInt64)
        /// There is nothing to read.
        case nothing
    }

    package let source: Source
    /// The first and the last that may be read: versions of a stream, otherwise positions. Empty when lower > upper.
    package let lower: UInt64
    package let upper: UInt64
    package let order: Order
    package let limit: Int
    package let types: [EventType]
    /// The log's head when the request was taken up.
    package let head: Position

    package init(
        source: Source, lower: UInt64, upper: UInt64, order: Order, limit: Int, types: [EventType], head: Position
    ) {
        self.source = source
        self.lower = lower
        self.upper = upper
        self.order = order
        self.limit = limit
        self.types = types
        self.head = head
    }
}
