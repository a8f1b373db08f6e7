package import StoryCore

/// An encoder of events, in the form in which the log and the wire have them; it reuses its buffer for each event.
package struct EventEncoder: ~Copyable {
    /// The initial capacity of the buffer in bytes: most events are shorter.
    private static let capacity = 4_096
    /// The largest buffer that is kept for the next event, in bytes.
    private static let keptCapacity = 1 << 20

    private var writer = ByteWriter(capacity: EventEncoder.capacity)
    private var times = TimeText()

    /// Creates an encoder.
    package init() {}

    /// The JSON of the last event, without an LF; it is valid until the next one is written.
    package var json: UnsafeRawBufferPointer { writer.written }

    /// Writes one of the events that a write proposes, with its members in the order of `EventRecord`.
    ///
    /// - Returns: the header that the log keeps beside the JSON.
    package mutating func write(
        _ proposals: [EventProposal], _ index: Int, to stream: StreamName, key: RequestKey?, at place: EventMetadata,
        cursor: ByteView? = nil
    ) -> EventHeader {
        begin()
        let (custom, tags, meta) = EventProposal.parts(of: proposals, index)
        var header: EventHeader
        if let event = custom {
            header = head(place, stream, event.type, cursor, key, tags, meta)
            writer.raw(event.data)
        } else {
            let body = proposals[index].body
            header = head(place, stream, body.type, cursor, key, tags, meta)
            EventDataWriter.append(body, to: &writer)
        }
        writer.byte(0x7D)
        header.jsonCount = writer.written.count
        return header
    }

    /// Writes an event.
    ///
    /// - Returns: the header that the log keeps beside the JSON.
    @discardableResult
    package mutating func write(_ event: Event) -> EventHeader {
        write([event.proposal], 0, to: event.stream, key: event.key, at: event.place, cursor: event.cursor)
    }

    private mutating func begin() {
        if writer.written.count <= EventEncoder.keptCapacity { return writer.removeAll() }
        writer = ByteWriter(capacity: EventEncoder.capacity)
    }

    /// Writes everything before the data; returns the event's header.
    private mutating func head(
        _ place: EventMetadata, _ stream: StreamName, _ type: EventType, _ cursor: ByteView?,
        _ key: RequestKey?, _ tags: ByteView?, _ meta: ByteView?
    ) -> EventHeader {
        writer.literal(EventText.Member.position)
        writer.integer(place.position.value)
        writer.literal(EventText.Member.stream)
        writer.name(stream.spelling)
        writer.literal(EventText.Member.version)
        writer.integer(place.version.value)
        writer.literal(EventText.Member.type)
        writer.name(type.spelling)
        writer.literal(EventText.Member.time)
        writer.time(place.time, knownTo: &times)
        writer.literal(EventText.Member.by)
        writer.integer(UInt64(place.by))
        var header = EventHeader(place, streamCount: stream.spelling.count, typeCount: type.spelling.count)
        if let cursor {
            writer.literal(EventText.Member.cursor)
            writer.name(cursor)
            header.cursorCount = cursor.count
        }
        if let key {
            writer.literal(EventText.Member.key)
            writer.name(key.spelling)
            header.keyCount = key.spelling.count
        }
        if let tags {
            writer.literal(EventText.Member.tags)
            writer.raw(tags)
            header.tagsCount = tags.count
        }
        if let meta {
            writer.literal(EventText.Member.meta)
            writer.raw(meta)
            header.metaCount = meta.count
        }
        writer.literal(EventText.Member.data)
        return header
    }
}

extension EventEncoder {
    /// Returns whether a record has the type, data, meta and tags that a proposal would be written with, as far as they
    /// were not erased.
    package static func matches(_ proposal: EventProposal, _ record: EventRecord) -> Bool {
        let json = record.json
        guard proposal.body.type.spelling.withUnsafeBytes({ json.part(record.type).equals($0) }),
            proposal.tags == record.tags.map({ ByteView(borrowing: json.part($0)) })
        else { return false }
        guard let written = record.data else { return true }
        return proposal.meta == record.meta.map { ByteView(borrowing: json.part($0)) }
            && data(of: proposal.body).equals(json.part(written))
    }

    /// Returns the JSON of an event's `data`.
    package static func data(of body: EventBody) -> [UInt8] {
        ByteWriter.bytes { EventDataWriter.append(body, to: &$0) }
    }
}
