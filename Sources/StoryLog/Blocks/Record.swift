import StoryStorage
package import StoryCore

/// One event as the log keeps it: header, salts and JSON.
package enum Record {
    /// Reads a record and verifies its checksum; the result is valid as long as `bytes`.
    ///
    /// - Throws: `.corrupt` with the position if the record is damaged.
    @inline(__always)
    package static func read(
        _ bytes: UnsafeRawBufferPointer, at position: UInt64
    ) throws(StorageError) -> EventRecord {
        guard bytes.count >= RecordHeader.size else { throw damaged(position, "is cut short") }
        let header = RecordHeader(bytes)
        guard header.recordCount == bytes.count else { throw damaged(position, "does not have its length") }
        let checked = UnsafeRawBufferPointer(rebasing: bytes[RecordHeader.checked...])
        guard Checksum.of(checked, position: position) == bytes.number(at: 0, as: UInt64.self) else {
            throw damaged(position, "does not match its checksum")
        }
        guard bytes[9] == RecordHeader.layout else { throw damaged(position, "has layout \(bytes[9])") }
        let json = UnsafeRawBufferPointer(rebasing: bytes[header.jsonStart...])
        guard let layout = RecordLayout(position: position, header, count: json.count) else {
            throw damaged(position, "has lengths that do not fit its text")
        }
        return EventRecord(
            position: Position(position), streamNumber: StreamNumber(header.streamNumber),
            version: Version(header.version), time: Instant(milliseconds: header.time), by: header.by, json: json,
            stream: layout.stream, type: layout.type, key: layout.key, tags: layout.tags, meta: layout.meta,
            data: layout.data)
    }

    /// Returns the error for a damaged event; `what` completes the sentence "the event at position …".
    static func damaged(_ position: UInt64, _ what: String) -> StorageError {
        .corrupt("the event at position \(position) \(what)", at: Position(position))
    }
}
