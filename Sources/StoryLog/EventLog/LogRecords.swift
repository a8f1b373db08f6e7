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

    /// Removes the records that are not committed.
    func rollBack() {
        precondition(!blocks.isReading, "rollback during a read of the log")
        memory.remove(after: committed)
        head = committed
        lastTime = committedTime
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
    func take(_ contents: JournalContents) throws(StorageError) {
        try contents.forEachRecord(after: flushed) { (position, bytes) throws(StorageError) in
            let block = memory.block(for: position, bytes.count)
            if let source = bytes.baseAddress { memcpy(block.target, source, bytes.count) }
            block.added(bytes.count)
            head = Position(position)
            lastTime = EventHeader(bytes, at: head).time
        }
    }

    /// Replaces everything with the records that another process has stored by now, in blocks and in its journal.
    ///
    /// - Throws: as `take`.
    func replace(with state: LogState, _ contents: JournalContents) throws(StorageError) {
        (flushed, head, lastTime) = (state.head, state.head, state.lastTime)
        memory = JournalMemory(after: flushed)
        try take(contents)
        wereCommitted(through: head, at: lastTime)
    }
}

/// The records to commit and to flush.
extension LogRecords {
    /// The size of the records that are not committed, in bytes.
    var uncommittedBytes: Int { memory.byteCount(after: committed.value) }

    /// The records that are not committed.
    var uncommitted: [BlockSection] { memory.sections(from: committed.value + 1, through: head.value) }

    /// The committed records that are not in blocks.
    var unflushed: [BlockSection] { unflushed(through: committed) }

    /// Returns the records through a position that are not in blocks.
    func unflushed(through position: Position) -> [BlockSection] {
        memory.sections(from: 1, through: position.value)
    }

    /// The last committed position through which whole blocks can be made; nil if no block is full.
    var lastFull: Position? { memory.lastFull.map { min(Position($0), committed) } }
}
