package import StoryCore
import StoryStorage

/// A snapshot of a log for one thread: all that was committed when it was made. Its records are valid until it is
/// closed, even if the log is appended to meanwhile.
///
/// Unchecked: it is made and closed by one thread at a time; its records are only read.
package final class LogView: @unchecked Sendable {
    private var transaction: ReadTransaction?
    private let map: BlockMap
    /// The records that were not in blocks when the view was made.
    private let tail: [BlockSection]
    /// Retained, since a log that nobody refers to is closed, and with it the snapshot.
    private let log: LMDBEventLog?
    /// The events that were being erased when the view was made.
    private let mask: ErasureMask
    /// True where records stay valid until the view is closed; else those that are masked do until they were visited.
    private let keepsMasked: Bool
    private var masked: [[UInt8]] = []

    /// Makes a view of all that is committed now.
    ///
    /// - Parameters:
    ///   - log: must not be closed before the view.
    ///   - keepsMasked: whether records are read after they were visited.
    /// - Throws: `.failed` if LMDB has no free reader slot.
    package init(_ log: LMDBEventLog, keepsMasked: Bool = false) throws(StorageError) {
        tail = log.records.unflushed
        map = BlockMap(log.records.blocks.map)
        transaction = try ReadTransaction(log.environment)
        self.log = log
        mask = log.records.mask
        self.keepsMasked = keepsMasked
    }

    /// Makes a view of the blocks that are stored now, and of records after them.
    ///
    /// - Throws: `.corrupt` if the log has no header, or lost a block; as the other.
    init(
        _ environment: Environment, _ tail: [BlockSection], mask: ErasureMask = ErasureMask()
    ) throws(StorageError) {
        self.tail = tail
        (log, self.mask, keepsMasked) = (nil, mask, false)
        map = BlockMap(pageSize: environment.pageSize)
        let begun = try ReadTransaction(environment)
        _ = try map.update(begun)
        transaction = consume begun
    }

    deinit { close() }

    /// Reads the event at a position, after verifying its checksum; it is valid until `visit` returns.
    ///
    /// - Throws: `.corrupt` if it is damaged, or missing; the error of `visit`.
    package func event<Result>(
        at position: UInt64, _ visit: (EventRecord) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try mask.read(try run(at: position).record(at: position), at: position, visit)
    }

    /// Visits the records of these positions in order, without verifying them, until `visit` returns false.
    ///
    /// - Throws: `.corrupt` if a block is damaged; the error of `visit`.
    package func scan(
        from: Position, through: Position, _ visit: (Position, StoredRecord) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var position = from.value
        while position <= through.value {
            let run = try run(at: position)
            while position <= min(run.last, through.value) {
                if position + 8 <= run.last { run.prefetchRecord(at: position + 8, 128) }
                guard try scan(try run.record(at: position), at: position, visit) else { return }
                position += 1
            }
        }
    }

    @inline(__always)
    private func scan(
        _ bytes: UnsafeRawBufferPointer, at position: UInt64,
        _ visit: (Position, StoredRecord) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        guard !mask.isEmpty, let copy = try mask.erased(bytes, at: position) else {
            return try visit(Position(position), try LogView.stored(bytes, at: position))
        }
        if keepsMasked { masked.append(copy) }
        return try copy.withBytes { (bytes) throws(StorageError) in
            try visit(Position(position), try LogView.stored(bytes, at: position))
        }
    }

    @inline(__always)
    private static func stored(
        _ bytes: UnsafeRawBufferPointer, at position: UInt64
    ) throws(StorageError) -> StoredRecord {
        guard let record = StoredRecord(bytes) else { throw Record.damaged(position, "is cut short") }
        return record
    }

    /// Returns the bytes of a record as they are stored, not verified.
    ///
    /// - Throws: `.corrupt` if the block is damaged or missing.
    func storedRecord(at position: Position) throws(StorageError) -> UnsafeRawBufferPointer {
        try run(at: position.value).record(at: position.value)
    }

    /// Releases the snapshot; its records are not valid after that.
    package func close() { transaction = nil }

    private func run(at position: UInt64) throws(StorageError) -> RecordRun {
        switch transaction {
        case .some(let view): return try run(at: position, in: view)
        case nil: preconditionFailure("read of a closed view")
        }
    }

    private func run(at position: UInt64, in view: borrowing ReadTransaction) throws(StorageError) -> RecordRun {
        guard position > map.last else {
            let index = map.index(of: max(position, 1))
            if let run = map.known(index) { return run }
            return try map.find(index, in: view)
        }
        guard let section = tail.first(where: { $0.run.holds(position) }) else {
            throw Record.damaged(position, "is missing")
        }
        return section.run
    }
}

/// A view of the bytes of a record in the log, not verified yet.
package struct StoredRecord {
    private let bytes: UnsafeRawBufferPointer

    /// Wraps the bytes of a record; nil if they are too few.
    @inline(__always)
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > EventHeader.size else { return nil }
        self.bytes = bytes
    }

    /// The address of the record.
    package var start: UnsafeRawPointer? { bytes.baseAddress }
    /// The size of the record, in bytes.
    package var count: Int { bytes.count }

    /// Prefetches the bytes of the record.
    package func prefetch() { start?.prefetch(bytes.count) }

    /// The fields that the record is sorted by.
    @inline(__always)
    package var sortFields: (stream: UInt64, version: UInt64, hasKey: Bool, hasCursor: Bool) {
        let header = EventHeader(bytes, at: .zero)
        return (header.streamNumber.value, header.version.value, header.keyCount > 0, header.cursorCount > 0)
    }

    /// Returns the name of the stream; nil if the lengths do not fit.
    package func streamName(at position: Position) -> UnsafeRawBufferPointer? {
        let start = RecordLayout.jsonStart(of: bytes) + EventText.streamStart(position)
        let end = start + EventHeader(bytes, at: position).streamCount
        return end <= bytes.count ? UnsafeRawBufferPointer(rebasing: bytes[start..<end]) : nil
    }

    /// Returns the event, after verifying its checksum.
    ///
    /// - Throws: `.corrupt` if the record is damaged.
    package func event(at position: Position) throws(StorageError) -> EventRecord {
        try Record.read(bytes, at: position.value)
    }
}
