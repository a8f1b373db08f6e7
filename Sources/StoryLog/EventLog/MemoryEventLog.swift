import StoryStorage
package import StoryCore

/// A log in memory, for tests: the same contract, nothing durable, no seals.
package final class MemoryEventLog: EventLog {
    package private(set) var head: Position = .zero
    package private(set) var committed: Position = .zero
    package private(set) var flushed: Position = .zero
    package private(set) var lastTime: Instant?
    package let storedIdentity: StoredIdentity
    package var bytes: Int { memory.sections(from: 1, through: head.value).reduce(0) { $0 + $1.run.bytes.count } }
    /// What the next commit ends with instead of committing; then nil again.
    package var commitFailure: StorageError?
    /// What the next append throws instead of appending; then nil again.
    package var appendFailure: StorageError?
    /// What rolling back throws.
    package var rollBackFailure: StorageError?
    /// What flushing throws.
    package var flushFailure: StorageError?
    /// What each reading throws.
    package var readFailure: StorageError?
    /// How many records were read.
    package private(set) var readCount: UInt64 = 0
    /// Whether `startFlush` finds whole blocks to put away.
    package var hasFullBlocks = false
    /// Whether a flush through a position ends when `endFlush` says so, and not at once.
    package var holdsFlushes = false
    /// Whether a commit needs a flush first.
    package var isJournalFull = false
    /// Called when a flush has ended: have `pollFlush` called.
    package var whenFlushed: (@Sendable () -> Void)?
    /// How many flushes were begun.
    package private(set) var flushCount = 0

    private var memory = JournalMemory(after: .zero)
    private var committedTime: Instant?
    private var committing: CommitJob?
    private var fatal: StorageError?
    private var flushing = Flushing.none
    private var flushRefusal: StorageError?
    private let salts = Salts()

    /// A flush beside the loop.
    private enum Flushing: Equatable {
        case none
        case underWay(through: Position)
        case ended(through: Position)
    }

    package init(storeID: [UInt8] = Array(repeating: 7, count: 16)) {
        storedIdentity = StoredIdentity(id: storeID)
    }

    package func append(
        _ event: EventHeader, json: UnsafeRawBufferPointer, _ withValue: (EventRecord) -> Void
    ) throws(StorageError) {
        precondition(event.position == head.next, "An event's position is the one after the head.")
        if let failure = appendFailure {
            appendFailure = nil
            throw failure
        }
        let record = RecordWriter(event, json)
        let block = memory.block(for: event.position.value, record.count)
        let start = block.target
        record.write(json, salts, to: start)
        block.added(record.count)
        head = event.position
        lastTime = event.time
        withValue(record.record(at: start))
    }

    package func beginCommit() throws(StorageError) -> CommitJob? {
        if let fatal { throw fatal }
        precondition(committing == nil, "One commit is under way at a time.")
        guard head > committed else { return nil }
        let failure = commitFailure
        commitFailure = nil
        let job = CommitJob(through: head, time: lastTime) { () throws(StorageError) in
            if let failure { throw failure }
        }
        committing = job
        return job
    }

    package func finishCommit(
        _ job: CommitJob, _ result: Result<Void, StorageError>
    ) throws(StorageError) {
        precondition(committing === job, "The commit that ends is the one under way.")
        committing = nil
        do throws(StorageError) {
            try result.get()
        } catch {
            if case .full = error { throw error }
            fatal = error
            throw error
        }
        committed = job.through
        committedTime = job.time
    }

    package func rollBack() throws(StorageError) {
        precondition(committing == nil, "Nothing is rolled back while a commit is under way.")
        if let rollBackFailure { throw rollBackFailure }
        memory.remove(after: committed)
        head = committed
        lastTime = committedTime
    }

    /// True while a flush beside the loop is under way, which ends when it is waited for or `endFlush` says so.
    package var isFlushing: Bool { flushing != .none }

    package func makeRoom() -> CommitRoom {
        guard isJournalFull, head > committed, committing == nil, fatal == nil else { return .ready }
        if !isFlushing, let refusal = flushRefusal {
            flushRefusal = nil
            return .refused(refusal)
        }
        start()
        return .flushing
    }

    package func startFlush() { if hasFullBlocks, flushed < committed { start() } }

    package func startFlush(through position: Position) {
        precondition(position <= committed, "Only what is committed is put into blocks.")
        guard position > flushed, !isFlushing else { return }
        start()
        if !holdsFlushes { endFlush() }
    }

    private func start() {
        guard !isFlushing else { return }
        flushing = .underWay(through: committed)
        flushCount += 1
    }

    /// The flush under way is at its end; the next `pollFlush` takes note of it.
    package func endFlush() {
        guard case .underWay(let through) = flushing else { return }
        flushing = .ended(through: through)
        whenFlushed?()
    }

    package func pollFlush() throws(StorageError) {
        guard case .ended(let through) = flushing else { return }
        try finishFlush(through)
    }

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

    package func scan(
        from: Position, through: Position, order: Order, _ visit: (EventRecord) -> Bool
    ) throws(StorageError) {
        let first = max(from.value, 1)
        let last = min(through.value, head.value)
        guard first <= last else { return }
        for step in 0...last - first {
            guard visit(try read(order == .ascending ? first + step : last - step)) else { return }
        }
    }

    package func record(at position: Position, _ visit: (EventRecord) -> Void) throws(StorageError) -> Bool {
        guard position > .zero, position <= head else { return false }
        visit(try read(position.value))
        return true
    }

    package func records(at positions: [Position], _ visit: (EventRecord) -> Bool) throws(StorageError) {
        for position in positions {
            guard position > .zero, position <= head, visit(try read(position.value)) else { return }
        }
    }

    package func position(at time: Instant) throws(StorageError) -> Position {
        var found = Position.zero
        try scan(from: Position(1), through: head, order: .ascending) { record in
            guard record.time <= time else { return false }
            found = record.position
            return true
        }
        return found
    }

    package func verify(progress: (Position) -> Void) throws(StorageError) {
        try scan(from: Position(1), through: committed, order: .ascending) { _ in true }
        progress(committed)
    }

    package func clearStaleReaders() {}
    package func close() {}

    private func read(_ position: UInt64) throws(StorageError) -> EventRecord {
        if let readFailure { throw readFailure }
        readCount += 1
        return try Record.read(try memory.run(at: position).record(at: position), at: position)
    }
}
