/// An event in the log, for as long as the log lends its bytes.
package struct LentEvent: Occurrence {
    package typealias Held = Borrowed

    package let position: Position
    package let streamNumber: StreamNumber
    package let version: Version
    package let time: Instant
    package let id: BorrowedBytes

    @inlinable
    package init(position: Position, streamNumber: StreamNumber, version: Version, time: Instant, id: BorrowedBytes) {
        self.position = position
        self.streamNumber = streamNumber
        self.version = version
        self.time = time
        self.id = id
    }
}

/// What happened in such an event.
package enum LentBody: Equatable, Sendable {
    case user(UserEventOf<Borrowed>)
    case story(StoryEventOf<Borrowed>)
    case message(MessageEventOf<Borrowed>)
    case photo(PhotoEventOf<Borrowed>)
    /// Kept, not folded.
    case custom
}
