import StoryStorage
import StoryCore

/// A log of format 1 or 2: one LMDB value an event, seals on the last event of each commit, and in format 2 a journal.
///
/// Every event is checked against its checksum, and every commit against its seal.
final class LegacyLog {
    let id: [UInt8]
    let created: Instant
    /// The last position, that of the journal where it has one.
    let head: Position

    private let environment: Environment
    private let header: [UInt8]
    private let stored: Position
    private let journal: LegacyJournal?

    /// - Throws: `.corrupt` where the log or its journal is not as it was written.
    init(_ path: String, _ journalPath: String, _ options: EnvironmentOptions) throws(StorageError) {
        environment = try .open(at: path, options)
        do throws(StorageError) {
            // A process killed in a commit may have left LMDB's lock file behind: only a writer repairs it.
            _ = try WriteTransaction(environment)
            let transaction = try ReadTransaction(environment)
            header = try LogState.headerBytes(transaction.handle)
            (id, created) = try LegacyLog.read(header)
            let last = try Cursor(transaction.handle, .main).last().flatMap { PositionKey.position($0.key) }
            stored = Position(last ?? 0)
            journal = try LegacyJournal(journalPath, id, after: stored)
            head = Position(max(stored.value, journal?.last ?? 0))
        } catch {
            environment.close()
            throw error
        }
    }

    func close() { environment.close() }

    /// Visits every event in order.
    ///
    /// - Throws: what `body` throws, and `.corrupt` with the position of an event that is not as it was written.
    func forEachEvent(
        _ body: (EventHeader, UnsafeRawBufferPointer) throws(StorageError) -> Void
    ) throws(StorageError) {
        var chain = try LegacyChain(header)
        let transaction = try ReadTransaction(environment)
        let cursor = try Cursor(transaction.handle, .main)
        _ = try cursor.first()
        for position in 1...max(stored.value, 1) where position <= stored.value {
            guard let entry = try cursor.next(), PositionKey.position(entry.key) == position else {
                throw Record.damaged(position, "is missing")
            }
            try chain.visit(entry.value, at: position, body)
        }
        try journal?.forEachRecord { (position, bytes) throws(StorageError) in
            try chain.visit(bytes, at: position, body)
        }
        try chain.end()
    }

    /// `format 4 · ID 16 · created 8 · XXH3-64 of all that 8`.
    private static func read(_ bytes: [UInt8]) throws(StorageError) -> ([UInt8], Instant) {
        guard bytes.count == 36,
            bytes.withBytes({ Checksum.of(UnsafeRawBufferPointer(rebasing: $0[..<28]), position: 0) })
                == bytes.number(at: 28, as: UInt64.self)
        else { throw .corrupt("the header of the log does not match its checksum", at: .zero) }
        guard bytes.number(at: 0, as: UInt32.self) == 1 else { throw .failed("the log is of an unknown format") }
        return (Array(bytes[4..<20]), Instant(milliseconds: bytes.number(at: 20, as: Int64.self)))
    }
}

/// A record of format 1 or 2: `checksum 8 · time 8 · version 6 · stream number 6 · by 4 · meta length 4 · stream
/// length 1 · type length 1 · key length 1 · flags 1`, the JSON, and where flag 1 is set the seal of its commit.
struct LegacyRecord {
    private static let headerSize = 40

    let event: EventHeader
    let json: UnsafeRawBufferPointer
    /// The bytes before the seal.
    let unsealedCount: Int

    /// - Throws: `.corrupt` with the position where it is not as it was written.
    init(_ bytes: UnsafeRawBufferPointer, at position: UInt64) throws(StorageError) {
        guard bytes.count > LegacyRecord.headerSize else { throw Record.damaged(position, "is cut short") }
        unsealedCount = bytes.count - (bytes[39] & 1 != 0 ? Seal.size : 0)
        guard unsealedCount > LegacyRecord.headerSize else { throw Record.damaged(position, "is cut short") }
        let checked = UnsafeRawBufferPointer(rebasing: bytes[8..<unsealedCount])
        guard Checksum.of(checked, position: position) == bytes.number(at: 0, as: UInt64.self) else {
            throw Record.damaged(position, "does not match its checksum")
        }
        json = UnsafeRawBufferPointer(rebasing: bytes[LegacyRecord.headerSize..<unsealedCount])
        var event = EventHeader(
            position: Position(position), streamNumber: StreamNumber(bytes.number48(at: 22)),
            version: Version(bytes.number48(at: 16)), time: Instant(milliseconds: bytes.number(at: 8, as: Int64.self)),
            by: bytes.number(at: 28, as: UInt32.self), streamCount: Int(bytes[36]), typeCount: Int(bytes[37]))
        event.keyCount = Int(bytes[38])
        event.metaCount = Int(bytes.number(at: 32, as: UInt32.self))
        self.event = event
    }
}

/// The chain of seals of format 1 and 2: the SHA-256 of the seal before and of all records of a commit.
private struct LegacyChain {
    private let hasher: SealHasher
    private var commit: [UInt8]
    private var isEnded = true
    private var position: UInt64 = 0

    init(_ header: [UInt8]) throws(StorageError) {
        hasher = try SealHasher()
        commit = hasher.hash(header).bytes
    }

    mutating func visit(
        _ bytes: UnsafeRawBufferPointer, at position: UInt64,
        _ body: (EventHeader, UnsafeRawBufferPointer) throws(StorageError) -> Void
    ) throws(StorageError) {
        let record = try LegacyRecord(bytes, at: position)
        try add(bytes, record)
        try body(record.event, record.json)
    }

    private mutating func add(_ bytes: UnsafeRawBufferPointer, _ record: LegacyRecord) throws(StorageError) {
        position = record.event.position.value
        commit += bytes[..<record.unsealedCount]
        isEnded = record.unsealedCount < bytes.count
        guard isEnded else { return }
        let seal = hasher.hash(commit).bytes
        guard bytes[record.unsealedCount...].elementsEqual(seal) else {
            throw Record.damaged(position, "does not match the seal of its commit")
        }
        commit = seal
    }

    func end() throws(StorageError) {
        guard isEnded else { throw Record.damaged(position, "is the last and has no seal") }
    }
}
