import StoryStorage
import Glibc
import StoryCore

/// The records of a log: those up to `flushed` lie in blocks, those behind it in memory, and nowhere else.
///
/// It knows what was appended and how much of that is committed and flushed; `LogCommits` and `BlockFlusher` tell it. It
/// belongs to the thread that appends.
final class LogRecords {
    @exclusivity(unchecked) private(set) var head: Position
    private(set) var committed: Position
    @exclusivity(unchecked) private(set) var flushed: Position
    /// When the record at `head` was written.
    @exclusivity(unchecked) private(set) var lastTime: Instant?
    /// When the record at `committed` was written.
    private var committedTime: Instant?
    let blocks: BlockReader
    @exclusivity(unchecked) private(set) var memory: JournalMemory
    private let salts = Salts()

    /// What the blocks hold.
    init(_ blocks: BlockReader, _ state: LogState) {
        self.blocks = blocks
        (head, committed, flushed) = (state.head, state.head, state.head)
        (lastTime, committedTime) = (state.lastTime, state.lastTime)
        memory = JournalMemory(after: state.head)
    }

    /// Writes a record behind the head, and hands it out where it lies.
    func append(_ event: EventHeader, json: UnsafeRawBufferPointer, _ withValue: (EventRecord) -> Void) {
        precondition(event.position == head.next, "An event's position is the one after the head.")
        precondition(!blocks.isReading, "Nothing is appended while the log is being read.")
        let record = RecordWriter(event, json)
        let block = memory.block(for: event.position.value, record.count)
        let start = block.target
        record.write(json, salts, to: start)
        block.added(record.count)
        head = event.position
        lastTime = event.time
        withValue(record.record(at: start))
    }

    /// Forgets what is not committed.
    func rollBack() {
        precondition(!blocks.isReading, "Nothing is rolled back while the log is being read.")
        memory.remove(after: committed)
        head = committed
        lastTime = committedTime
    }

    /// Everything through a position is durable.
    ///
    /// - Parameter time: when the record there was written.
    func wereCommitted(through position: Position, at time: Instant?) {
        committed = position
        committedTime = time
    }

    /// Everything that a flush had to store is in blocks.
    func wereFlushed(by job: FlushJob) {
        precondition(!blocks.isReading, "Nothing moves while the log is being read.")
        flushed = job.through
        blocks.map.append(job.firsts, through: job.through.value)
        memory.flushed(through: job.through)
    }

    /// Lays the records of a journal out in memory, as they were when they were appended.
    ///
    /// - Throws: `.corrupt` where an entry is not as it was written.
    func take(_ contents: JournalContents) throws(StorageError) {
        try contents.forEachRecord(after: flushed) { (position, bytes) throws(StorageError) in
            let block = memory.block(for: position, bytes.count)
            if let source = bytes.baseAddress { memcpy(block.target, source, bytes.count) }
            block.added(bytes.count)
            head = Position(position)
            lastTime = Instant(milliseconds: RecordHeader(bytes).time)
        }
    }

    /// Begins anew with what another process has stored by now: in blocks, and in its journal.
    ///
    /// - Throws: as `take`.
    func replace(with state: LogState, _ contents: JournalContents) throws(StorageError) {
        (flushed, head, lastTime) = (state.head, state.head, state.lastTime)
        memory = JournalMemory(after: flushed)
        try take(contents)
        wereCommitted(through: head, at: lastTime)
    }
}

/// What there is to commit and to flush.
extension LogRecords {
    /// The bytes of the records that are not committed.
    var uncommittedBytes: Int { memory.byteCount(after: committed.value) }

    /// The records that are not committed.
    var uncommitted: [BlockSection] { memory.sections(from: committed.value + 1, through: head.value) }

    /// What is committed and not in blocks.
    var unflushed: [BlockSection] { unflushed(through: committed) }

    /// What is not in blocks, through a position.
    func unflushed(through position: Position) -> [BlockSection] {
        memory.sections(from: 1, through: position.value)
    }

    /// The last committed position that whole blocks can be made through; nil where nothing fills one.
    var lastFull: Position? { memory.lastFull.map { min(Position($0), committed) } }
}
