package import StoryCore
package import StoryModels

/// Which events answer a `READ`, names resolved.
package struct ReadPlan: Equatable, Sendable {
    /// Where the events are found.
    package enum Source: Equatable, Sendable {
        case all
        case stream(StreamHead)
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
    /// The last event that was durable when the request was taken up: nothing after it is read.
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
