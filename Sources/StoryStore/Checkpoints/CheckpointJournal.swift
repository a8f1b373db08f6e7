import StoryFold
import CXXHash
import Glibc
import StoryCore
import StoryStorage

/// The journal of a checkpoint: a file of its entries, so that writing them in several commits can be resumed.
///
/// `magic 8 · checkpoint record 28`, then for each entry `table 1 · key's length 2 · value's length 4, or 2^32 − 1
/// where it was removed · key · value`, then XXH3-64 of all that comes before.
package struct CheckpointJournal {
    private static let magic = Array("stkjrnl1".utf8)
    private static let entryHead = 7
    private static let recordCount = 28

    let path: String

    init(models path: String) { self.path = path + "/journal" }

    /// Writes and syncs the journal, in place of an older one once it is complete. A draft that fails is removed, since
    /// its disk space may be the last that the log has.
    func write(_ buffers: MemtableSet, _ record: CheckpointRecord) throws(StorageError) {
        let draft = path + ".tmp"
        do throws(StorageError) {
            try write(buffers, record, to: draft)
            try Folder.rename(draft, to: path)
        } catch {
            unlink(draft)
            throw error
        }
    }

    private func write(
        _ buffers: MemtableSet, _ record: CheckpointRecord, to draft: String
    ) throws(StorageError) {
        var writer = try JournalWriter(draft)
        try writer.add(CheckpointJournal.magic + record.bytes)
        var head: [UInt8] = []
        for table in UInt8.min...UInt8.max {
            guard let buffer = buffers.filled(table) else { continue }
            for index in 0..<buffer.count {
                let (key, value) = (buffer.key(index), buffer.value(index))
                head.removeAll(keepingCapacity: true)
                head.append(table)
                head.append(littleEndian: UInt16(key.count))
                head.append(littleEndian: value.map { UInt32($0.count) } ?? Memtable.KeyedValue.removed)
                try writer.add(head)
                try writer.add(key)
                if let value { try writer.add(value) }
            }
        }
        try writer.finish()
    }

    /// Reads the journal; returns nil when there is none, or it is not complete.
    func read() throws(StorageError) -> (buffers: MemtableSet, record: CheckpointRecord)? {
        guard Folder.exists(path) else { return nil }
        let file = try FileHandle(path, O_RDONLY | O_NOFOLLOW)
        let bytes = try file.read(file.size(path), at: 0, of: path)
        return bytes.withBytes { CheckpointJournal.parse($0) }
    }

    func remove() {
        // A journal that remains is harmless: without the mark in the models it is never read.
        unlink(path)
    }

    /// Parses the bytes of a journal; returns nil when it is not complete.
    package static func parse(_ bytes: UnsafeRawBufferPointer) -> (buffers: MemtableSet, record: CheckpointRecord)? {
        let start = magic.count + recordCount
        let end = bytes.count - 8
        guard end >= start, bytes.starts(with: magic),
            XXH3_64bits(bytes.baseAddress, end) == bytes.number(at: end, as: UInt64.self),
            let record = CheckpointRecord(Array(bytes[magic.count..<start]))
        else { return nil }
        let buffers = MemtableSet()
        var offset = start
        while offset < end {
            guard let next = take(bytes, offset, end, buffers) else { return nil }
            offset = next
        }
        return (buffers, record)
    }

    /// Reads one entry; returns the offset of the next one, or nil when there is no valid entry.
    private static func take(
        _ bytes: UnsafeRawBufferPointer, _ offset: Int, _ end: Int, _ buffers: MemtableSet
    ) -> Int? {
        guard offset + entryHead <= end else { return nil }
        let table = bytes[offset]
        let keyEnd = offset + entryHead + Int(bytes.number(at: offset + 1, as: UInt16.self))
        let valueCount = bytes.number(at: offset + 3, as: UInt32.self)
        let isRemoved = valueCount == Memtable.KeyedValue.removed
        let valueEnd = keyEnd + (isRemoved ? 0 : Int(valueCount))
        guard keyEnd <= end, valueEnd <= end else { return nil }
        let key = UnsafeRawBufferPointer(rebasing: bytes[offset + entryHead..<keyEnd])
        guard KeyBuffer.keyLength.contains(key.count) else { return nil }
        if isRemoved {
            buffers.change(table) { $0.remove(key) }
        } else {
            let value = UnsafeRawBufferPointer(rebasing: bytes[keyEnd..<valueEnd])
            buffers.change(table) { $0.put(value, at: key) }
        }
        return valueEnd
    }
}

/// A writer of a file from start to end, in large pieces, with a checksum of everything at the end.
private struct JournalWriter: ~Copyable {
    private static let piece = 1 << 18

    private let path: String
    private let file: FileHandle
    private let checksum: OpaquePointer
    private var waiting: [UInt8] = []
    private var written = 0

    init(_ path: String) throws(StorageError) {
        let file = try FileHandle(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
        guard let state = XXH3_createState() else { throw .failed("there is no memory for a checksum") }
        XXH3_64bits_reset(state)
        self.path = path
        self.file = file
        checksum = state
        waiting.reserveCapacity(JournalWriter.piece * 2)
    }

    deinit { XXH3_freeState(checksum) }

    mutating func add(_ bytes: some Collection<UInt8>) throws(StorageError) {
        waiting.append(contentsOf: bytes)
        if waiting.count >= JournalWriter.piece { try flush() }
    }

    mutating func finish() throws(StorageError) {
        try flush()
        waiting.append(littleEndian: XXH3_64bits_digest(checksum))
        try flush()
        try file.sync(path)
    }

    private mutating func flush() throws(StorageError) {
        XXH3_64bits_update(checksum, waiting, waiting.count)
        try file.write(waiting, at: written, to: path)
        written += waiting.count
        waiting.removeAll(keepingCapacity: true)
    }
}
