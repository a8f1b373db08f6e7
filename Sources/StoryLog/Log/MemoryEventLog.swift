package import StoryCore

/// A log in memory, for tests: the same contract, nothing durable, no seals.
package final class MemoryEventLog: EventLog {
    package var head: Position { Position(UInt64(records.count)) }
    package private(set) var committed: Position = .zero
    package private(set) var flushed: Position = .zero
    package private(set) var lastTime: Instant?
    package let storeID: [UInt8]
    package var bytes: Int { records.reduce(0) { $0 + $1.count } }
    /// What the next commit throws instead of committing; then nil again.
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

    /// Header and JSON of each event; the first is that of position 1.
    private var records: [[UInt8]] = []
    private var committedTime: Instant?
    /// How far the commit that was begun reaches, and when its last event was written.
    private var begun: (through: Position, time: Instant?)?
    private let staged = StagedRecord()

    package init(storeID: [UInt8] = Array(repeating: 7, count: 16)) { self.storeID = storeID }

    package func append(_ event: EventPlace, json: UnsafeRawBufferPointer) throws(StorageError) {
        precondition(event.position == head.next, "An event's position is the one after the head.")
        if let failure = appendFailure {
            appendFailure = nil
            throw failure
        }
        staged.hold(event, json)
        staged.close()
        records.append(Array(staged.bytes))
        staged.release()
        lastTime = event.time
    }

    package func beginCommit() -> (any PendingCommit)? {
        precondition(begun == nil, "One commit at a time.")
        guard head > committed else { return nil }
        begun = (head, lastTime)
        let failure = commitFailure
        commitFailure = nil
        return MemoryCommit(failure: failure)
    }

    package func finishCommit(_ result: Result<Void, StorageError>) throws(StorageError) {
        guard let begun else { preconditionFailure("A commit that is finished was begun.") }
        self.begun = nil
        try result.get()
        committed = begun.through
        committedTime = begun.time
    }

    package func rollBack() throws(StorageError) {
        precondition(begun == nil, "Nothing is rolled back under a commit.")
        if let rollBackFailure { throw rollBackFailure }
        records.removeLast(Int(head.value - committed.value))
        lastTime = committedTime
    }

    package func flush() throws(StorageError) {
        if let flushFailure { throw flushFailure }
        flushed = committed
    }

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

    package func record(at position: Position, _ visit: (EventRecord) -> Void) throws(StorageError) -> Bool {
        guard position > .zero, position <= head else { return false }
        try read(position.value, visit)
        return true
    }

    package func records(at positions: [Position], _ visit: (EventRecord) -> Bool) throws(StorageError) {
        for position in positions {
            guard position > .zero, position <= head, try read(position.value, visit) else { return }
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

    package func close() {}

    @discardableResult
    private func read<Result>(_ position: UInt64, _ visit: (EventRecord) -> Result) throws(StorageError) -> Result {
        if let readFailure { throw readFailure }
        readCount += 1
        let bytes = records[Int(position - 1)]
        return try bytes.withBytes { (bytes) throws(StorageError) in visit(try Record.read(bytes, at: position)) }
    }
}

/// A commit in memory: there is nothing to write, but it may fail.
private struct MemoryCommit: PendingCommit {
    let failure: StorageError?

    func run() throws(StorageError) {
        if let failure { throw failure }
    }
}
