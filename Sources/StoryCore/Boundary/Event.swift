/// One immutable fact that is about to be written: its place in the log, and what it says.
///
/// Its texts are lent: it is good for as long as the request that it comes from.
package struct Event: Equatable, Sendable {
    package let place: EventPlace
    package let stream: StreamName
    package let key: RequestKey?
    package let proposal: EventProposal

    package init(_ proposal: EventProposal, to stream: StreamName, key: RequestKey?, at place: EventPlace) {
        self.place = place
        self.stream = stream
        self.key = key
        self.proposal = proposal
    }

    package init(
        position: Position, stream: StreamName, streamNumber: StreamNumber, version: Version, time: Instant, by: UInt32,
        key: RequestKey?, tags: ByteView? = nil, meta: ByteView?, body: EventBody
    ) {
        let place = EventPlace(
            position: position, streamNumber: streamNumber, version: version, time: time, by: by)
        self.init(EventProposal(body: body, meta: meta, tags: tags), to: stream, key: key, at: place)
    }

    package var position: Position { place.position }
    package var streamNumber: StreamNumber { place.streamNumber }
    package var version: Version { place.version }
    package var time: Instant { place.time }
    package var by: UInt32 { place.by }
    /// The text of a JSON array of tags, without white space.
    package var tags: ByteView? { proposal.tags }
    /// A JSON object's text, as it came.
    package var meta: ByteView? { proposal.meta }
    package var body: EventBody { proposal.body }
}

/// Where an event is written, when, and by whom.
package struct EventPlace: Equatable, Sendable {
    package let position: Position
    package let streamNumber: StreamNumber
    package let version: Version
    /// When the store committed it; never before the event ahead of it.
    package let time: Instant
    /// The uid of the process that wrote it.
    package let by: UInt32

    package init(position: Position, streamNumber: StreamNumber, version: Version, time: Instant, by: UInt32) {
        self.position = position
        self.streamNumber = streamNumber
        self.version = version
        self.time = time
        self.by = by
    }
}
