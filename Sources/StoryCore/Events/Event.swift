/// One immutable fact that is about to be written: its metadata and its content.
///
/// Its texts are valid until the request that it comes from is handled.
package struct Event: Equatable, Sendable {
    /// The position, version, time and author of the event.
    package let place: EventMetadata
    /// The stream that the event is appended to.
    package let stream: StreamName
    /// The move of a worker's cursor that was committed with the event, as `NAME/SHARE@POSITION`; nil where it has none.
    package let cursor: ByteView?
    /// The key of the request; nil where it has none.
    package let key: RequestKey?
    /// The content of the event: body, meta and tags.
    package let proposal: EventProposal
    /// The position of the event that erased the content; nil for a whole event, whose body means nothing otherwise.
    package let erased: Position?

    /// Creates the event that a proposal becomes in a stream.
    package init(
        _ proposal: EventProposal, to stream: StreamName, key: RequestKey?, at place: EventMetadata,
        cursor: ByteView? = nil, erased: Position? = nil
    ) {
        self.place = place
        self.erased = erased
        self.stream = stream
        self.cursor = cursor
        self.key = key
        self.proposal = proposal
    }

    /// Creates an event from its parts.
    package init(
        position: Position, stream: StreamName, streamNumber: StreamNumber, version: Version, time: Instant, by: UInt32,
        cursor: ByteView? = nil, key: RequestKey?, tags: ByteView? = nil, meta: ByteView?, body: EventBody,
        erased: Position? = nil
    ) {
        let place = EventMetadata(
            position: position, streamNumber: streamNumber, version: version, time: time, by: by)
        self.init(
            EventProposal(body: body, meta: meta, tags: tags), to: stream, key: key, at: place, cursor: cursor,
            erased: erased)
    }

    /// The position of the event in the log.
    package var position: Position { place.position }
    /// The number of the event's stream.
    package var streamNumber: StreamNumber { place.streamNumber }
    /// The version of the stream after the event.
    package var version: Version { place.version }
    /// The time of the commit; never before that of the event ahead.
    package var time: Instant { place.time }
    /// The uid of the process that wrote it.
    package var by: UInt32 { place.by }
    /// The text of a JSON array of tags, without white space.
    package var tags: ByteView? { proposal.tags }
    /// The text of a JSON object, unchanged.
    package var meta: ByteView? { proposal.meta }
    /// The typed fact, or the data of a custom event.
    package var body: EventBody { proposal.body }
}

/// The position, stream number, version, time and author of an event.
package struct EventMetadata: Equatable, Sendable {
    /// The position in the log.
    package let position: Position
    /// The number of the stream.
    package let streamNumber: StreamNumber
    /// The version of the stream after the event.
    package let version: Version
    /// The time of the commit; never before that of the event ahead.
    package let time: Instant
    /// The uid of the process that wrote it.
    package let by: UInt32

    /// Creates metadata from its parts.
    package init(position: Position, streamNumber: StreamNumber, version: Version, time: Instant, by: UInt32) {
        self.position = position
        self.streamNumber = streamNumber
        self.version = version
        self.time = time
        self.by = by
    }
}
