/// One immutable fact of the log.
///
/// A class, because it is handed from hand to hand and never changed: a copy is one reference, not a dozen.
package final class Event: Equatable, Sendable {
    package let position: Position
    package let stream: StreamName
    package let streamNumber: StreamNumber
    package let version: Version
    /// When the store committed it; never before the event ahead of it.
    package let time: Instant
    /// The uid of the process that wrote it.
    package let by: UInt32
    package let key: RequestKey?
    package let tags: EventTags?
    /// A JSON object's text, as it came.
    package let meta: [UInt8]?
    package let body: EventBody

    package init(
        position: Position, stream: StreamName, streamNumber: StreamNumber, version: Version, time: Instant, by: UInt32,
        key: RequestKey?, tags: EventTags? = nil, meta: [UInt8]?, body: EventBody
    ) {
        self.position = position
        self.stream = stream
        self.streamNumber = streamNumber
        self.version = version
        self.time = time
        self.by = by
        self.key = key
        self.tags = tags
        self.meta = meta
        self.body = body
    }

    package static func == (left: Event, right: Event) -> Bool {
        left === right
            || (left.position == right.position && left.stream == right.stream
                && left.streamNumber == right.streamNumber && left.version == right.version && left.time == right.time
                && left.by == right.by && left.key == right.key && left.tags == right.tags && left.meta == right.meta
                && left.body == right.body)
    }
}

/// What happened.
package enum EventBody: Equatable, Sendable {
    case user(UserEvent)
    case story(StoryEvent)
    case message(MessageEvent)
    case photo(PhotoEvent)
    /// An event of the users' own, or of a type that this program does not know: kept, not folded.
    case custom(EventType, data: [UInt8])
}
