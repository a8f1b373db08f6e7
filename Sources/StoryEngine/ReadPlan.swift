package import StoryCore
package import StoryFold

/// The events that answer a `READ`, with names resolved.
package struct ReadPlan: Equatable, Sendable {
    /// The stream, category or log that is read.
    package enum Source: Equatable, Sendable {
        case all
        case stream(StreamHead)
        case category(UInt64)
        /// There is nothing to read.
        case nothing

        /// Finds the source that a selection names; `nothing` if it has no event.
        ///
        /// - Throws: the error of reading the models.
        init(_ source: EventSelection.Source, in index: StreamIndex) throws(StorageError) {
            switch source {
            case .all: self = .all
            case .stream(let name): self = try index.head(of: name).map { .stream($0) } ?? .nothing
            case .category(let name): self = try index.number(of: name).map { .category($0) } ?? .nothing
            }
        }
    }

    /// The stream, category or log that is read.
    package let source: Source
    /// The first version of a stream, or position, that may be read. The range is empty if lower > upper.
    package let lower: UInt64
    /// The last version of a stream, or position, that may be read.
    package let upper: UInt64
    /// The order in which the events are read.
    package let order: Order
    /// The greatest number of events to return.
    package let limit: Int
    /// The types of the events that are returned.
    package let types: [EventType]
    /// The last event that was durable when the request was handled: nothing after it is read.
    package let head: Position
}
