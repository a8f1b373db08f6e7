import StoryStorage
import Glibc
package import StoryCore

/// Lays an event out as a record.
package struct RecordWriter {
    private let header: RecordHeader
    private let position: UInt64
    private let layout: RecordLayout

    /// Measures an event and its line.
    ///
    /// A text that is not laid out as its lengths say would be served wrongly for ever, so it traps here.
    @inline(__always)
    package init(_ event: EventHeader, _ json: UnsafeRawBufferPointer) {
        position = event.position.value
        header = RecordHeader(
            time: event.time.milliseconds, version: event.version.value, streamNumber: event.streamNumber.value,
            by: event.by, tagsCount: UInt16(event.tagsCount), metaCount: UInt32(event.metaCount),
            streamCount: UInt8(event.streamCount), typeCount: UInt8(event.typeCount),
            keyCount: UInt8(event.keyCount), jsonCount: UInt32(json.count))
        layout = RecordWriter.checked(position, header, json)
    }

    /// The bytes of the record.
    package var count: Int { header.recordCount }

    /// Writes every byte of the record; there is room for `count`.
    @inline(__always)
    package func write(_ json: UnsafeRawBufferPointer, _ salts: Salts, to target: UnsafeMutableRawPointer) {
        header.write(to: target)
        let start = header.jsonStart
        salts.take(start - RecordHeader.size, to: target + RecordHeader.size)
        if let source = json.baseAddress { memcpy(target + start, source, json.count) }
        let checked = UnsafeRawBufferPointer(
            start: target + RecordHeader.checked, count: count - RecordHeader.checked)
        target.put(Checksum.of(checked, position: position), at: 0)
    }

    /// The record that was written to a place, which is lent.
    @inline(__always)
    func record(at start: UnsafeMutableRawPointer) -> EventRecord {
        let json = UnsafeRawBufferPointer(start: start + header.jsonStart, count: Int(header.jsonCount))
        return EventRecord(
            position: Position(position), streamNumber: StreamNumber(header.streamNumber),
            version: Version(header.version), time: Instant(milliseconds: header.time), by: header.by, json: json,
            stream: layout.stream, type: layout.type, key: layout.key, tags: layout.tags, meta: layout.meta,
            data: layout.data)
    }

    @inline(__always)
    private static func checked(
        _ position: UInt64, _ header: RecordHeader, _ json: UnsafeRawBufferPointer
    ) -> RecordLayout {
        guard let layout = RecordLayout(position: position, header, count: json.count) else {
            preconditionFailure("An event's text is as long as its parts.")
        }
        let label = layout.data.lowerBound - 7
        precondition(
            json[label - 1] == 0x2C && json[label] == 0x22 && json[label + 1] == 0x64 && json[label + 6] == 0x3A
                && json[layout.labels.lowerBound] == 0x2C && json[layout.labels.upperBound] == 0x2C
                && json[layout.type.upperBound] == 0x22 && json[layout.stream.upperBound] == 0x22
                && json[json.count - 1] == 0x7D,
            "An event's text has its parts in the order and with the lengths that its numbers say.")
        return layout
    }
}
