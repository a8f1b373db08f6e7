import StoryStorage
import Glibc
package import StoryCore

/// An encoder of one event as a record.
package struct RecordWriter {
    private let header: EventHeader
    private let layout: RecordLayout

    /// Computes the layout of an event and its line.
    ///
    /// Traps if the text is not laid out as its lengths say, since such a record would be served wrongly for ever.
    @inline(__always)
    package init(_ event: EventHeader, _ json: UnsafeRawBufferPointer) {
        guard event.jsonCount == json.count, json.count <= EventHeader.mostJSON, let layout = RecordLayout(event),
            let data = layout.text.data
        else {
            preconditionFailure(
                "text of \(json.count) bytes at position \(event.position.value) does not fit its lengths")
        }
        let text = layout.text
        let label = data.lowerBound - 7
        precondition(
            json[label - 1] == 0x2C && json[label] == 0x22 && json[label + 1] == 0x64 && json[label + 6] == 0x3A
                && json[text.labels.lowerBound] == 0x2C && json[text.content.lowerBound] == 0x2C
                && json[text.type.upperBound] == 0x22 && json[text.stream.upperBound] == 0x22
                && json[json.count - 1] == 0x7D,
            "text at position \(event.position.value) is not laid out as its lengths say")
        header = event
        self.layout = layout
    }

    /// The size of the record, in bytes.
    package var count: Int { layout.count }

    /// Writes the whole record to `target`, which must have room for `count` bytes.
    @inline(__always)
    package func write(_ json: UnsafeRawBufferPointer, _ salts: Salts, to target: UnsafeMutableRawPointer) {
        let zeros = layout.zeros
        header.write(zeros: zeros, to: target)
        let start = layout.jsonStart
        salts.take(start - EventHeader.size, to: target + EventHeader.size)
        if let source = json.baseAddress { memcpy(target + start, source, json.count) }
        if zeros > 0 { memset(target + start + json.count, 0, zeros) }
        let record = UnsafeRawBufferPointer(start: target, count: count)
        target.put(Record.checksum(record, header.position.value), at: 0)
    }

    /// Returns the record that was written to `start`, valid as long as that memory.
    @inline(__always)
    func record(at start: UnsafeMutableRawPointer) -> EventRecord {
        let json = UnsafeRawBufferPointer(start: start + layout.jsonStart, count: header.jsonCount)
        return EventRecord(header, layout.text, json)
    }
}
