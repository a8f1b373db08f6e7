/// The header of a record: the event's metadata, and the lengths of the parts of its text.
package struct EventHeader: Equatable, Sendable {
    /// The position in the log.
    package let position: Position
    /// The number of the stream.
    package var streamNumber: StreamNumber
    /// The version of the stream after the event.
    package let version: Version
    /// The time of the commit.
    package let time: Instant
    /// The uid of the process that wrote it.
    package let by: UInt32
    /// The length of the stream's name, in bytes.
    package let streamCount: Int
    /// The length of the type's name, in bytes.
    package let typeCount: Int
    /// The length of the key, in bytes; 0 where there is none.
    package var keyCount = 0
    /// The length of the tags' array, in bytes; 0 where there is none.
    package var tagsCount = 0
    /// The length of the meta, in bytes; 0 where there is none.
    package var metaCount = 0

    /// Creates a header without key, tags and meta.
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
    /// Creates a header without key, tags and meta from an event's metadata.
    package init(_ place: EventMetadata, streamCount: Int, typeCount: Int) {
        self.init(
            position: place.position, streamNumber: place.streamNumber, version: place.version, time: place.time,
            by: place.by, streamCount: streamCount, typeCount: typeCount)
    }
}

extension Event {
    /// The header that the log keeps beside the event's text.
    package var header: EventHeader {
        var header = EventHeader(
            place, streamCount: stream.spelling.count, typeCount: body.type.spelling.count)
        header.keyCount = key?.spelling.count ?? 0
        header.tagsCount = tags?.count ?? 0
        header.metaCount = meta?.count ?? 0
        return header
    }
}
