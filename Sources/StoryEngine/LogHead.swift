package import StoryCore

/// The end of the log as far as it is folded: the position and the time of the last event, and the last stream number.
///
/// The next event is numbered after it. It follows the fold: `folded` alone moves it, for events that were decided here
/// and for those that came from elsewhere.
package struct LogHead: Equatable, Sendable {
    /// The position of the last event; zero when there is none.
    package private(set) var position: Position
    /// The time of the last event; the earliest one when there is none.
    package private(set) var time: Instant
    /// The greatest stream number in use; zero when there is none.
    package private(set) var lastStream: StreamNumber

    /// Creates the head of a log that is folded.
    init(position: Position, time: Instant?, lastStream: StreamNumber) {
        self.position = position
        self.time = time ?? Instant(milliseconds: Instant.range.lowerBound)
        self.lastStream = lastStream
    }

    /// The number of the next stream.
    var nextStream: StreamNumber { StreamNumber(lastStream.value + 1) }

    /// Notes that the event after the head was folded.
    mutating func folded(_ event: EventMetadata) {
        precondition(
            event.position == position.next, "position \(event.position.value) is folded after \(position.value)")
        position = event.position
        time = max(time, event.time)
        lastStream = max(lastStream, event.streamNumber)
    }
}
