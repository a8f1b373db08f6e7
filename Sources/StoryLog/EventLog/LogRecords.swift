import StoryStorage
import Glibc
import StoryCore

/// The records of a log: those up to `flushed` are in blocks, those after it in memory, and each is in one of them
/// only.
///
/// It tracks which records are appended, committed and flushed, as `LogCommits` and `BlockFlusher` report it. It
/// belongs to the thread that appends.
final class LogRecords {
    private(set) var head: Position
    private(set) var committed: Position
    private(set) var flushed: Position
    /// The time of the record at `head`.
    private(set) var lastTime: Instant?
    /// The time of the record at `committed`.
    private var committedTime: Instant?
    let blocks: BlockReader
    private(set) var memory: JournalMemory
    private let salts = Salts()
    /// The events that are being erased.
    var mask = ErasureMask()

    /// Begins with the records that are in blocks.
    init(_ blocks: BlockReader, _ state: LogState) {
        self.blocks = blocks
        (head, committed, flushed) = (state.head, state.head, state.head)
        (lastTime, committedTime) = (state.lastTime, state.lastTime)
        memory = JournalMemory(after: state.head)
    }

    /// Appends a record after the head, and passes it to `withRecord`; it is valid until that returns.
    func append(_ event: EventHeader, json: UnsafeRawBufferPointer, withRecord: (EventRecord) -> Void) {
        precondition(event.position == head.next, "position \(event.position.value) follows \(head.value)")
        precondition(!blocks.isReading, "append during a read of the log")
        let record = RecordWriter(event, json)
        let block = memory.block(for: event.position.value, record.count)
        let start = block.target
        record.write(json, salts, to: start)
        block.added(record.count)
        head = event.position
        lastTime = event.time
        withRecord(record.record(at: start))
    }

    /// Appends records of the same history after the head, unchanged, and passes each to `withRecord`; it is valid until
    /// that returns. Their salts stay, so the seal at each position does.
    ///
    /// - Parameter bytes: whole records, one behind the other.
    /// - Throws: `.corrupt` if one is damaged, or older than the one before; then none is appended.
    func ingest(_ bytes: UnsafeRawBufferPointer, withRecord: (EventRecord) -> Void) throws(StorageError) {
        precondition(!blocks.isReading, "append during a read of the log")
        var time = lastTime
        try forEach(in: bytes) { (position, record) throws(StorageError) in
            let event = try Record.read(record, at: position)
            if let time, event.time < time { throw Record.damaged(position, "is older than the one before") }
            time = event.time
        }
        try forEach(in: bytes) { (position, record) throws(StorageError) in
            withRecord(try Record.read(add(record, at: position), at: position))
        }
    }

    /// Visits the records that are to follow the head.
    private func forEach(
        in bytes: UnsafeRawBufferPointer, _ body: (UInt64, UnsafeRawBufferPointer) throws(StorageError) -> Void
    ) throws(StorageError) {
        var (start, position) = (0, head.value)
        while start < bytes.count {
            position += 1
            let record = try Record.record(in: bytes, from: start, at: position)
            try body(position, record)
            start += record.count
        }
    }

    /// Copies a record behind the head; returns the copy.
    @discardableResult
    private func add(_ bytes: UnsafeRawBufferPointer, at position: UInt64) -> UnsafeRawBufferPointer {
        let block = memory.block(for: position, bytes.count)
        let start = block.target
        if let source = bytes.baseAddress { memcpy(start, source, bytes.count) }
        block.added(bytes.count)
        head = Position(position)
        lastTime = EventHeader(bytes, at: head).time
        return UnsafeRawBufferPointer(start: start, count: bytes.count)
    }

    /// Removes the records after a position, at least those that are committed stay.
    ///
    /// - Throws: `.corrupt` if the record at that position is damaged.
    func rollBack(to position: Position) throws(StorageError) {
        precondition(!blocks.isReading, "rollback during a read of the log")
        precondition(position >= committed, "rollback to \(position.value), but \(committed.value) is committed")
        let time = try time(at: position)
        memory.remove(after: position)
        (head, lastTime) = (position, time)
    }

    /// Returns the time of the record at a position that is not before `committed`.
    ///
    /// - Throws: `.corrupt` if the record is damaged.
    func time(at position: Position) throws(StorageError) -> Instant? {
        if position == head { return lastTime }
        guard position > committed else { return committedTime }
        return EventHeader(try memory.run(at: position.value).record(at: position.value), at: position).time
    }

    /// Marks every record through a position as committed.
    ///
    /// - Parameter time: the time of the record at that position.
    func wereCommitted(through position: Position, at time: Instant?) {
        committed = position
        committedTime = time
    }

    /// Marks the records that a flush has stored as flushed.
    func wereFlushed(by job: FlushJob) {
        precondition(!blocks.isReading, "end of a flush during a read of the log")
        flushed = job.through
        blocks.map.append(job.firsts, through: job.through.value)
        memory.flushed(through: job.through)
    }

    /// Loads the records of a journal into memory, as they were when they were appended.
    ///
    /// - Throws: `.corrupt` if an entry is damaged.
    func load(_ contents: JournalContents) throws(StorageError) {
        try contents.forEachRecord(after: flushed) { (position, bytes) throws(StorageError) in add(bytes, at: position)
        }
    }

    /// Replaces everything with the records that another process has stored by now, in blocks and in its journal.
    ///
    /// - Throws: as `load`.
    func replace(with state: LogState, _ contents: JournalContents) throws(StorageError) {
        (flushed, head, lastTime) = (state.head, state.head, state.lastTime)
        memory = JournalMemory(after: flushed)
        try load(contents)
        wereCommitted(through: head, at: lastTime)
    }
}

/// The records to commit and to flush.
extension LogRecords {
    /// Returns the size of the records through a position that are not committed, in bytes.
    func uncommittedBytes(through position: Position) -> Int {
        memory.byteCount(after: committed.value) - memory.byteCount(after: position.value)
    }

    /// Returns the records through a position that are not committed.
    func uncommitted(through position: Position) -> [BlockSection] {
        memory.sections(from: committed.value + 1, through: position.value)
    }

    /// The committed records that are not in blocks.
    var unflushed: [BlockSection] { unflushed(through: committed) }

    /// Returns the records through a position that are not in blocks.
    func unflushed(through position: Position) -> [BlockSection] {
        memory.sections(from: 1, through: position.value)
    }

    /// The last committed position through which whole blocks can be made; nil if no block is full.
    var lastFull: Position? { memory.lastFull.map { min(Position($0), committed) } }
}
