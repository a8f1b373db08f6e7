/// Where an event stands in the log, and how long the parts of its text are: what a log keeps beside the text.
package struct EventHeader: Equatable, Sendable {
    package let position: Position
    package var streamNumber: StreamNumber
    package let version: Version
    package let time: Instant
    /// The uid of the process that wrote it.
    package let by: UInt32
    /// The length of the stream's name, in bytes.
    package let streamCount: Int
    /// The length of the type's name, in bytes.
    package let typeCount: Int
    /// The lengths of the key, of the tags' array and of the meta, in bytes; 0 where there is none.
    package var keyCount = 0
    package var tagsCount = 0
    package var metaCount = 0

    package init(
        position: Position, streamNumber: StreamNumber, version: Version, time: Instant, by: UInt32, streamCount: Int,
        typeCount: Int
    ) {
        self.position = position
        self.streamNumber = streamNumber
        self.version = version
        self.time = time
        self.by = by
        self.streamCount = streamCount
        self.typeCount = typeCount
    }
}

extension EventHeader {
    package init(_ place: EventPlace, streamCount: Int, typeCount: Int) {
        self.init(
            position: place.position, streamNumber: place.streamNumber, version: place.version, time: place.time,
            by: place.by, streamCount: streamCount, typeCount: typeCount)
    }
}

extension Event {
    /// What the log keeps beside its text.
    package var header: EventHeader {
        var header = EventHeader(
            place, streamCount: stream.spelling.count, typeCount: body.type.spelling.count)
        header.keyCount = key?.spelling.count ?? 0
        header.tagsCount = tags?.count ?? 0
        header.metaCount = meta?.count ?? 0
        return header
    }
}
