import StoryCore
import StoryStorage

/// One value of the log: header, JSON and, at the end of a commit, the seal.
enum Record {
    /// Reads a record and checks it against its checksum; what it points to belongs to the transaction.
    @inline(__always)
    static func read(
        _ bytes: UnsafeRawBufferPointer, at position: UInt64
    ) throws(StorageError) -> EventRecord {
        guard let count = unsealedCount(bytes) else { throw damaged(position, "is cut short") }
        guard matches(bytes, count, position) else { throw damaged(position, "does not match its checksum") }
        guard let record = record(bytes, count, position) else {
            throw damaged(position, "has lengths that do not fit its text")
        }
        return record
    }

    /// The same for bytes that may be something else; nil when they are not this record.
    @inline(__always)
    static func whole(_ bytes: UnsafeRawBufferPointer, at position: UInt64) -> EventRecord? {
        guard let count = unsealedCount(bytes), matches(bytes, count, position) else { return nil }
        return record(bytes, count, position)
    }

    @inline(__always)
    private static func matches(_ bytes: UnsafeRawBufferPointer, _ count: Int, _ position: UInt64) -> Bool {
        let checked = UnsafeRawBufferPointer(rebasing: bytes[RecordHeader.checked..<count])
        return Checksum.of(checked, position: position) == bytes.number(at: 0, as: UInt64.self)
    }

    @inline(__always)
    private static func record(_ bytes: UnsafeRawBufferPointer, _ count: Int, _ position: UInt64) -> EventRecord? {
        let header = RecordHeader(bytes)
        let json = UnsafeRawBufferPointer(rebasing: bytes[RecordHeader.size..<count])
        guard let layout = RecordLayout(position: position, header, count: json.count) else { return nil }
        return EventRecord(
            position: Position(position), streamNumber: StreamNumber(header.streamNumber),
            version: Version(header.version), time: Instant(milliseconds: header.time), by: header.by, json: json,
            stream: layout.stream, type: layout.type, key: layout.key, tags: layout.tags, meta: layout.meta,
            data: layout.data)
    }

    /// How many bytes come before the seal; nil when there are too few for a record.
    @inline(__always)
    static func unsealedCount(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count > RecordHeader.size else { return nil }
        let count = bytes.count - (RecordHeader(bytes).isSealed ? Seal.size : 0)
        return count > RecordHeader.size ? count : nil
    }

    /// The seal at the record's end; nil when it has none.
    static func seal(_ bytes: UnsafeRawBufferPointer) -> Seal? {
        guard let count = unsealedCount(bytes), count < bytes.count else { return nil }
        return Seal(bytes: Array(bytes[count...]))
    }

    static func damaged(_ position: UInt64, _ what: String) -> StorageError {
        .corrupt("the event at position \(position) \(what)", at: Position(position))
    }
}
