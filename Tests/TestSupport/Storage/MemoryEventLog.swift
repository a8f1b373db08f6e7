package import StoryCore
package import StoryLog

/// An event log in memory: the same contract, nothing durable, no seals.
package final class MemoryEventLog: EventLog {
    /// The position of the last event, committed or not.
    package var head: Position { Position(UInt64(records.count)) }
    /// The position of the last committed event.
    package private(set) var committed: Position = .zero
    /// The position of the last flushed event.
    package private(set) var flushed: Position = .zero
    /// The time of the last event; nil if there is none.
    package var lastTime: Instant? { records.last?.time }
    /// The history that the log holds, which has no ancestors.
    package let storedIdentity: StoredIdentity
    /// The size of the records that are kept, in bytes.
    package var bytes: Int { records.reduce(0) { $0 + $1.bytes.count } }
    /// The error that the next commit ends with instead of committing; then nil again.
    package var commitFailure: StorageError?
    /// The error that the next append throws instead of appending; then nil again.
    package var appendFailure: StorageError?
    /// The error that rolling back throws.
    package var rollBackFailure: StorageError?
    /// The error that flushing throws.
    package var flushFailure: StorageError?
    /// The error that each reading throws.
    package var readFailure: StorageError?
    /// The number of records that were read.
    package private(set) var readCount: UInt64 = 0
    /// True if `startFlush` finds whole blocks to flush.
    package var hasFullBlocks = false
    /// True if a flush through a position ends only when `endFlush` is called, and not at once.
    package var holdsFlushes = false
    /// True if a commit needs a flush first.
    package var isJournalFull = false
    /// Called when a flush has ended; the owner must then call `pollFlush`.
    package var whenFlushed: (@Sendable () -> Void)?
    /// The number of flushes that were begun.
    package private(set) var flushCount = 0

    private var records: [(bytes: [UInt8], time: Instant)] = []
    private var committing: CommitJob?
    private var fatal: StorageError?
    private var flushing = Flushing.none
    private var flushRefusal: StorageError?
    private let salts = Salts()

    /// The state of a flush that was started.
    private enum Flushing: Equatable {
        case none
        case underWay(through: Position)
        case ended(through: Position)
    }

    /// Makes an empty log.
    package init(storeID: [UInt8] = Array(repeating: 7, count: 16)) {
        storedIdentity = StoredIdentity(id: storeID)
    }

    /// Appends the event after `head`, or throws `appendFailure`.
    package func append(
        _ event: EventHeader, json: UnsafeRawBufferPointer, withRecord: (EventRecord) -> Void
    ) throws(StorageError) {
        precondition(event.position == head.next, "position \(event.position.value) follows \(head.value)")
        if let failure = appendFailure {
            appendFailure = nil
            throw failure
        }
        let record = RecordWriter(event, json)
        let bytes = [UInt8](unsafeUninitializedCapacity: record.count) { target, count in
            if let start = target.baseAddress { record.write(json, salts, to: start) }
            count = record.count
        }
        records.append((bytes, event.time))
        try bytes.withBytes { (bytes) throws(StorageError) in
            withRecord(try Record.read(bytes, at: event.position.value))
        }
    }

    /// Appends records after `head`, as they are.
    package func ingest(
        _ bytes: UnsafeRawBufferPointer, withRecord: (EventRecord) -> Void
    ) throws(StorageError) {
        var start = 0
        while start < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
            let record = UnsafeRawBufferPointer(rebasing: rest[..<min(RecordLayout.count(rest), rest.count)])
            let event = try Record.read(record, at: head.value + 1)
            records.append((Array(record), event.time))
            withRecord(event)
            start += record.count
        }
    }

    /// Visits a range of records as they are.
    package func scanRecords(
        from: Position, through: Position, _ visit: (Position, UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) {
        var position = max(from, Position(1))
        while position <= min(through, head) {
            let isWanted = records[Int(position.value - 1)].bytes.withUnsafeBytes { visit(position, $0) }
            guard isWanted else { return }
            position = position.next
        }
    }

    /// The records after `committed` and through a position, as a commit has them.
    private func uncommitted(through position: Position) -> [BlockSection] {
        var memory = JournalMemory(after: committed)
        for index in Int(committed.value)..<Int(position.value) {
            let bytes = records[index].bytes
            let block = memory.block(for: UInt64(index + 1), bytes.count)
            bytes.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(start: block.target, count: $0.count).copyMemory(from: $0)
            }
            block.added(bytes.count)
        }
        return memory.sections(from: 1, through: position.value)
    }

    /// Begins a commit, whose job throws `commitFailure` if that is set; nil if there is nothing to commit.
    package func beginCommit(through position: Position) throws(StorageError) -> CommitJob? {
        if let fatal { throw fatal }
        precondition(committing == nil, "begin of a commit during another one")
        guard position > committed else { return nil }
        let failure = commitFailure
        commitFailure = nil
        let time = records[Int(position.value - 1)].time
        let job = CommitJob(through: position, time: time, uncommitted(through: position)) { () throws(StorageError) in
            if let failure { throw failure }
        }
        committing = job
        return job
    }

    /// Ends a commit.
    package func finishCommit(_ job: CommitJob, _ end: CommitEnd) throws(StorageError) {
        precondition(committing === job, "end of a commit through position \(job.through.value) that is not under way")
        committing = nil
        switch end {
        case .acknowledged: committed = job.through
        case .refused: break
        case .failed(let error):
            fatal = error
            throw error
        }
    }

    /// Removes every event after a position, or throws `rollBackFailure`.
    package func rollBack(to position: Position) throws(StorageError) {
        precondition(committing.map { $0.through > position } != true, "rollback of a commit under way")
        if let rollBackFailure { throw rollBackFailure }
        records.removeLast(Int(head.value - position.value))
    }

    /// True while a started flush is under way: until `flush`, or `endFlush` and `pollFlush`, complete it.
    package var isFlushing: Bool { flushing != .none }

    /// Begins a flush if `isJournalFull` and there is something to commit.
    package func ensureSpace(through position: Position) -> CommitRoom {
        guard isJournalFull, position > committed, committing == nil, fatal == nil else { return .ready }
        if !isFlushing, let refusal = flushRefusal {
            flushRefusal = nil
            return .refused(refusal)
        }
        start()
        return .flushing
    }

    /// Begins a flush if `hasFullBlocks` and there is something to flush.
    package func startFlush() { if hasFullBlocks, flushed < committed { start() } }

    /// Begins a flush, and ends it at once unless `holdsFlushes`.
    package func startFlush(through position: Position) {
        precondition(
            position <= committed,
            "flush through position \(position.value), but only \(committed.value) is committed")
        guard position > flushed, !isFlushing else { return }
        start()
        if !holdsFlushes { endFlush() }
    }

    private func start() {
        guard !isFlushing else { return }
        flushing = .underWay(through: committed)
        flushCount += 1
    }

    /// Ends the flush that is under way; the next `pollFlush` completes it.
    package func endFlush() {
        guard case .underWay(let through) = flushing else { return }
        flushing = .ended(through: through)
        whenFlushed?()
    }

    /// Completes a flush that has ended.
    package func pollFlush() throws(StorageError) {
        guard case .ended(let through) = flushing else { return }
        try finishFlush(through)
    }

    /// Flushes all committed events, or throws `flushFailure`.
    package func flush() throws(StorageError) {
        flushCount += 1
        try finishFlush(committed)
    }

    private func finishFlush(_ through: Position) throws(StorageError) {
        flushing = .none
        flushRefusal = flushFailure
        if let flushFailure { throw flushFailure }
        (flushed, isJournalFull) = (through, false)
    }

    /// Visits a range of events, or throws `readFailure`.
    package func scan(
        from: Position, through: Position, order: Order, _ visit: (EventRecord) -> Bool
    ) throws(StorageError) {
        let first = max(from.value, 1)
        let last = min(through.value, head.value)
        guard first <= last else { return }
        for step in 0...last - first {
            guard try read(order == .ascending ? first + step : last - step, visit) else { return }
        }
    }

    /// Visits the events at some positions.
    package func records(at positions: [Position], _ visit: (EventRecord) -> Bool) throws(StorageError) {
        for position in positions {
            guard position > .zero, position <= head, try read(position.value, visit) else { return }
        }
    }

    /// Returns the last position at or before a time, by a scan.
    package func position(at time: Instant) throws(StorageError) -> Position {
        var found = Position.zero
        try scan(from: Position(1), through: head, order: .ascending) { record in
            guard record.time <= time else { return false }
            found = record.position
            return true
        }
        return found
    }

    /// Does nothing, since no other process reads.
    package func clearStaleReaders() {}
    /// Does nothing.
    package func close() {}

    private func read(_ position: UInt64, _ visit: (EventRecord) -> Bool) throws(StorageError) -> Bool {
        if let readFailure { throw readFailure }
        readCount += 1
        return try records[Int(position - 1)].bytes.withBytes { (bytes) throws(StorageError) in
            visit(try Record.read(bytes, at: position))
        }
    }
}
