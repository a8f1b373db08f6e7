import StoryStorage
import Glibc
package import StoryCore

/// An encoder of one event as a record.
package struct RecordWriter {
    private let header: RecordHeader
    private let position: UInt64
    private let layout: RecordLayout

    /// Computes the layout of an event and its line.
    ///
    /// Traps if the text is not laid out as its lengths say, since such a record would be served wrongly for ever.
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

    /// The size of the record, in bytes.
    package var count: Int { header.recordCount }

    /// Writes the whole record to `target`, which must have room for `count` bytes.
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

    /// Returns the record that was written to `start`, valid as long as that memory.
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
            preconditionFailure("text of \(json.count) bytes at position \(position) does not fit its lengths")
        }
        let label = layout.data.lowerBound - 7
        precondition(
            json[label - 1] == 0x2C && json[label] == 0x22 && json[label + 1] == 0x64 && json[label + 6] == 0x3A
                && json[layout.labels.lowerBound] == 0x2C && json[layout.labels.upperBound] == 0x2C
                && json[layout.type.upperBound] == 0x22 && json[layout.stream.upperBound] == 0x22
                && json[json.count - 1] == 0x7D,
            "text at position \(position) is not laid out as its lengths say")
        return layout
    }
}
