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
    private(set) var committedTime: Instant?
    let blocks: BlockReader
    private(set) var memory: JournalMemory
    private let salts = Salts()
    /// The orders among the records that are in memory, and no order before them.
    private(set) var orders: [ErasureOrder] = []
    /// The committed orders that are not carried out, in the order of the log.
    private(set) var underWay: [ErasureOrder] = []
    /// The events that they name.
    private(set) var mask = ErasureMask()
    /// The history that orders must be of, and those that it was copied from.
    var identity: StoredIdentity

    /// Begins with the records that are in blocks.
    init(_ blocks: BlockReader, _ state: LogState) {
        self.blocks = blocks
        identity = state.header.identity
        (head, committed, flushed) = (state.head, state.head, state.head)
        (lastTime, committedTime) = (state.lastTime, state.lastTime)
        memory = JournalMemory(after: state.head)
    }

    /// Appends a record after the head, and passes it to `withRecord`; it is valid until that returns.
    func append(_ header: EventHeader, json: UnsafeRawBufferPointer, withRecord: (EventRecord) -> Void) {
        precondition(header.position == head.next, "position \(header.position.value) follows \(head.value)")
        precondition(!blocks.isReading, "append during a read of the log")
        let record = RecordWriter(header, json)
        let block = memory.block(for: header.position.value, record.count)
        let start = block.target
        record.write(json, salts, to: start)
        block.added(record.count)
        head = header.position
        lastTime = header.time
        let event = record.record(at: start)
        if ErasureOrder.mayBeOrder(header) { note(event) }
        withRecord(event)
    }

    /// Appends a record after the head that is erased: its content is not that of its text, and its commitment is random.
    ///
    /// - Throws: `.corrupt` if the text is not laid out as the header says.
    func append(
        _ header: EventHeader, json: UnsafeRawBufferPointer, erasedBy eraser: Position,
        withRecord: (EventRecord) -> Void
    ) throws(StorageError) {
        let writer = RecordWriter(header, json)
        var bytes = [UInt8](repeating: 0, count: writer.count)
        bytes.withUnsafeMutableBytes { if let base = $0.baseAddress { writer.write(json, salts, to: base) } }
        let erased = try bytes.withBytes { (bytes) throws(StorageError) in
            try RecordErasure(of: bytes, at: header.position, by: eraser, dropsLabels: false)?.erased(bytes)
        }
        try (erased ?? bytes).withBytes { (bytes) throws(StorageError) in
            withRecord(try Record.read(try add(bytes, at: header.position.value), at: header.position.value))
        }
    }

    /// Keeps an order until it is in a block, once it is committed with its events masked.
    private func note(_ record: EventRecord) {
        guard let order = ErasureOrder(record), order.isOf(identity) else { return }
        orders.append(order)
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
            withRecord(try Record.read(try add(record, at: position), at: position))
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
    ///
    /// - Throws: `.corrupt` if an order is damaged.
    @discardableResult
    private func add(_ bytes: UnsafeRawBufferPointer, at position: UInt64) throws(StorageError)
        -> UnsafeRawBufferPointer
    {
        let block = memory.block(for: position, bytes.count)
        let start = block.target
        if let source = bytes.baseAddress { memcpy(start, source, bytes.count) }
        block.added(bytes.count)
        head = Position(position)
        let header = EventHeader(bytes, at: head)
        lastTime = header.time
        let copy = UnsafeRawBufferPointer(start: start, count: bytes.count)
        if ErasureOrder.mayBeOrder(header) { note(try Record.read(copy, at: position)) }
        return copy
    }

    /// Removes the records after a position, at least those that are committed stay.
    ///
    /// - Throws: `.corrupt` if the record at that position is damaged.
    func rollBack(to position: Position) throws(StorageError) {
        precondition(!blocks.isReading, "rollback during a read of the log")
        precondition(position >= committed, "rollback to \(position.value), but \(committed.value) is committed")
        let time = try time(at: position)
        memory.remove(after: position)
        orders.removeAll { $0.eraser > position }
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
        for order in orders where order.eraser > committed && order.eraser <= position { begin(order) }
        committed = position
        committedTime = time
    }

    /// Marks the records that a flush has stored as flushed.
    func wereFlushed(by job: FlushJob) {
        precondition(!blocks.isReading, "end of a flush during a read of the log")
        flushed = job.through
        blocks.map.append(job.firsts, through: job.through.value)
        memory.flushed(through: job.through)
        orders.removeAll { $0.eraser <= flushed }
    }

    /// Loads the records of a journal into memory, as they were when they were appended.
    ///
    /// - Throws: `.corrupt` if an entry is damaged.
    func load(_ contents: JournalContents) throws(StorageError) {
        try contents.forEachRecord(after: flushed) { (position, bytes) throws(StorageError) in
            try add(bytes, at: position)
        }
    }

    /// Replaces everything with the records that another process has stored by now, in blocks and in its journal.
    ///
    /// - Throws: as `load`.
    func replace(with state: LogState, _ contents: JournalContents) throws(StorageError) {
        (flushed, head, lastTime) = (state.head, state.head, state.lastTime)
        (memory, orders, committed) = (JournalMemory(after: flushed), [], flushed)
        (underWay, mask) = ([], ErasureMask())
        try load(contents)
        wereCommitted(through: head, at: lastTime)
    }
}

/// The erasures.
extension LogRecords {
    private func begin(_ order: ErasureOrder) {
        guard !underWay.contains(where: { $0.eraser == order.eraser }) else { return }
        underWay.append(order)
        mask.add(order)
    }

    /// Masks the events of the orders through a position, which is in the log for good although this one has not stored it.
    func wereAcknowledged(through position: Position) {
        for order in orders where order.eraser <= position { begin(order) }
    }

    /// Begins the orders of blocks that were not carried out; those that are not in the log were undone.
    ///
    /// - Throws: `.corrupt` if one of them is damaged.
    func begin(_ redo: ErasureRedo) throws(StorageError) {
        let found = try blocks.reading { () throws(StorageError) in
            var found: [ErasureOrder] = []
            for eraser in redo.erasers where eraser <= flushed {
                let record = try blocks.run(at: eraser.value).record(at: eraser.value)
                if let order = ErasureOrder(try Record.read(record, at: eraser.value)), order.isOf(identity) {
                    found.append(order)
                }
            }
            return found
        }
        let later = underWay
        (underWay, mask) = ([], ErasureMask())
        for order in found + later { begin(order) }
        note(redo.erasures)
    }

    /// Notes the erasures of records that are about to be overwritten, or were in part.
    func note(_ erasures: [RecordErasure]) { mask.note(erasures) }

    /// Ends orders, the bytes of whose events are gone.
    func end(_ erasers: [Position]) {
        let left = underWay.filter { !erasers.contains($0.eraser) }
        (underWay, mask) = ([], ErasureMask())
        for order in left { begin(order) }
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
