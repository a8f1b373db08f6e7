import Glibc
import StoryCore
import StoryStorage

/// The newest event, held back until it is known whether its commit ends with it.
///
/// One buffer is used again and again: appending allocates nothing.
final class StagedRecord {
    /// The event that is held; nil when none is.
    private(set) var position: Position?
    private var buffer: UnsafeMutableRawPointer
    private var capacity = 4_096
    private var count = 0

    init() { buffer = .allocate(byteCount: capacity, alignment: 16) }

    deinit { buffer.deallocate() }

    /// The record, after `close` or `seal`.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: buffer, count: count) }

    /// Takes a copy of an event.
    func hold(_ event: EventPlace, _ json: UnsafeRawBufferPointer) {
        count = RecordHeader.size + json.count
        reserve(count + Seal.size)
        let header = StagedRecord.header(of: event, json)
        StagedRecord.check(event, header, json)
        header.write(to: buffer)
        if let source = json.baseAddress { memcpy(buffer + RecordHeader.size, source, json.count) }
        position = event.position
    }

    func release() { position = nil }

    /// Finishes the record of an event that others of its commit follow.
    func close() { writeChecksum() }

    /// Finishes the record of an event that ends its commit; the seal comes with `append`.
    func closeSealed() {
        RecordHeader.markSealed(buffer)
        writeChecksum()
    }

    func append(_ seal: Seal) {
        seal.bytes.withUnsafeBytes { bytes in
            if let source = bytes.baseAddress { memcpy(buffer + count, source, Seal.size) }
        }
        count += Seal.size
    }

    private func writeChecksum() {
        let checked = UnsafeRawBufferPointer(
            start: buffer + RecordHeader.checked, count: count - RecordHeader.checked)
        buffer.put(Checksum.of(checked, position: position?.value ?? 0), at: 0)
    }

    private func reserve(_ needed: Int) {
        guard needed > capacity else { return }
        capacity = max(needed, capacity * 2)
        buffer.deallocate()
        buffer = .allocate(byteCount: capacity, alignment: 16)
    }

    private static func header(of event: EventPlace, _ json: UnsafeRawBufferPointer) -> RecordHeader {
        RecordHeader(
            time: event.time.milliseconds, version: event.version.value, streamNumber: event.streamNumber.value,
            by: event.by, metaCount: UInt32(event.metaCount), tagsCount: UInt32(event.tagsCount),
            streamCount: UInt8(event.streamCount), typeCount: UInt8(typeCount(event, json)),
            keyCount: UInt8(event.keyCount), isSealed: false)
    }

    /// The length of the type's name: as the event says, or up to the closing quote.
    private static func typeCount(_ event: EventPlace, _ json: UnsafeRawBufferPointer) -> Int {
        if let count = event.typeCount { return count }
        let start =
            44 + RecordLayout.digits(event.position.value) + event.streamCount
            + RecordLayout.digits(event.version.value)
        var end = start
        while end < json.count, json[end] != 0x22 { end += 1 }
        return end - start
    }

    /// A text that is not laid out as its lengths say would be served wrongly for ever.
    private static func check(_ event: EventPlace, _ header: RecordHeader, _ json: UnsafeRawBufferPointer) {
        guard let layout = RecordLayout(position: event.position.value, header, count: json.count) else {
            preconditionFailure("An event's text is as long as its parts.")
        }
        let label = layout.data.lowerBound - 7
        precondition(
            json[label - 1] == 0x2C && json[label] == 0x22 && json[label + 1] == 0x64 && json[label + 6] == 0x3A
                && json[layout.type.upperBound] == 0x22 && json[layout.stream.upperBound] == 0x22
                && json[json.count - 1] == 0x7D,
            "An event's text has its parts in the order and with the lengths that its numbers say.")
    }
}
