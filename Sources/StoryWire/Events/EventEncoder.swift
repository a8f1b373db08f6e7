package import StoryCore

/// Writes events as they lie in the log and go out on the wire.
package enum EventEncoder {
    /// Appends the event's JSON, without an LF, its members in the order that `EventRecord` tells.
    package static func append(_ event: Event, to bytes: inout [UInt8]) {
        guard case .custom(let type, let data) = event.body else { return appendContent(event, to: &bytes) }
        bytes.appendWritten(atMost: count(event, type) + data.count) { writer in
            head(event, type, &writer)
            writer.raw(data)
            writer.byte(0x7D)
        }
    }

    /// True when a record has the type, data, meta and tags that a proposal would be written with.
    package static func says(_ proposal: EventProposal, _ record: EventRecord) -> Bool {
        let json = record.json
        guard proposal.body.type.spelling.withUnsafeBytes({ json.part(record.type).equals($0) }),
            proposal.meta == record.meta.map({ ByteView(borrowing: json.part($0)) }),
            proposal.tags == record.tags.map({ ByteView(borrowing: json.part($0)) })
        else { return false }
        return data(of: proposal.body).equals(json.part(record.data))
    }

    /// The data that an event is written with.
    package static func data(of body: EventBody) -> [UInt8] {
        var data: [UInt8] = []
        EventDataWriter.append(body, to: &data)
        return data
    }

    private static func appendContent(_ event: Event, to bytes: inout [UInt8]) {
        let type = event.body.type
        bytes.appendWritten(atMost: count(event, type)) { head(event, type, &$0) }
        EventDataWriter.append(event.body, to: &bytes)
        bytes.append(0x7D)
    }

    /// No more bytes than this are written before and behind the data.
    private static func count(_ event: Event, _ type: EventType) -> Int {
        let names = event.stream.spelling.count + type.spelling.count + (event.key?.spelling.count ?? 0)
        return fixedCount + names + (event.tags?.count ?? 0) + (event.meta?.count ?? 0)
    }

    /// Writes everything up to the data.
    private static func head(_ event: Event, _ type: EventType, _ writer: inout ByteWriter) {
        writer.literal(#"{"position":"#)
        writer.integer(event.position.value)
        writer.literal(#","stream":"#)
        writer.name(event.stream.spelling)
        writer.literal(#","version":"#)
        writer.integer(event.version.value)
        writer.literal(#","type":"#)
        writer.name(type.spelling)
        writer.literal(#","time":""#)
        writer.time(event.time)
        writer.literal(#"","by":"#)
        writer.integer(UInt64(event.by))
        if let key = event.key {
            writer.literal(#","key":"#)
            writer.name(key.spelling)
        }
        if let tags = event.tags {
            writer.literal(#","tags":"#)
            writer.raw(tags)
        }
        if let meta = event.meta {
            writer.literal(#","meta":"#)
            writer.raw(meta)
        }
        writer.literal(#","data":"#)
    }

    /// What an event's labels, quotes, numbers and time take at most, in bytes.
    private static let fixedCount = 108 + 3 * ByteWriter.integerCount + Instant.textCount
}
