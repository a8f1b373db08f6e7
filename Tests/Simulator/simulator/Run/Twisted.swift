import StoryCore
import StoryLog
import StoryModels
import StoryServer
import StoryStorage

/// Commits that are told as done before they are: a planted bug.
final class EarlyCommits: SimulatedCommits {
    private var waiting: [CommitJob] = []
    private var ended: CommitOutcome?

    var isRunning: Bool { !waiting.isEmpty }

    func end() {
        for commit in waiting { _ = commit.outcome }
        waiting = []
    }

    func start(_ commit: CommitJob) {
        waiting.append(commit)
        ended = CommitOutcome(result: .success(()), nanoseconds: 3_000_000)
    }

    func takeOutcome() -> CommitOutcome? { ended.take() }
    func wait() -> CommitOutcome? { ended.take() }
}

/// A log with a planted bug in front of it.
final class TwistedLog: EventLog {
    private let log: LMDBEventLog
    private let bug: PlantedBug

    init(_ log: LMDBEventLog, _ bug: PlantedBug) { (self.log, self.bug) = (log, bug) }

    var head: Position { log.head }
    var committed: Position { log.committed }
    /// Models may be stored that know more than the blocks.
    var flushed: Position { bug == .checkpointAheadOfFlush ? log.committed : log.flushed }
    var lastTime: Instant? { log.lastTime }
    var bytes: Int { log.bytes }
    var identity: LogIdentity { log.identity }
    var storeID: [UInt8] { log.storeID }
    var isFlushing: Bool { log.isFlushing }

    func append(
        _ event: EventHeader, json: UnsafeRawBufferPointer, _ lend: (EventRecord) -> Void
    ) throws(StorageError) { try log.append(event, json: json, lend) }

    func makeRoom() -> CommitRoom { log.makeRoom() }
    func beginCommit() throws(StorageError) -> CommitJob? { try log.beginCommit() }
    func finishCommit(_ job: CommitJob, _ result: Result<Void, StorageError>) throws(StorageError) {
        try log.finishCommit(job, bug == .failedCommitIsTrusted ? .success(()) : result)
    }
    func rollBack() { log.rollBack() }
    func startFlush() { log.startFlush() }
    func startFlush(through position: Position) { log.startFlush(through: position) }
    func pollFlush() throws(StorageError) { try log.pollFlush() }
    func flush() throws(StorageError) { try log.flush() }

    func scan(
        from: Position, through: Position, order: Order, _ visit: (EventRecord) -> Bool
    ) throws(StorageError) {
        try log.scan(from: from, through: through, order: order, visit)
    }

    func record(at position: Position, _ visit: (EventRecord) -> Void) throws(StorageError) -> Bool {
        try log.record(at: position, visit)
    }
    func records(at positions: [Position], _ visit: (EventRecord) -> Bool) throws(StorageError) {
        try log.records(at: positions, visit)
    }
    func position(at time: Instant) throws(StorageError) -> Position { try log.position(at: time) }
    func verify(progress: (Position) -> Void) throws(StorageError) { try log.verify(progress: progress) }
    func clearStaleReaders() { log.clearStaleReaders() }
    func close() { log.close() }
}

/// The models, with what a run wants of them: a planted bug, or checkpoints in small pieces.
final class TwistedModels: ServedModels {
    private let models: LMDBModelStore
    private let bug: PlantedBug?
    /// How many pages one commit of a checkpoint changes; nil: as many as the daemon's.
    private let pages: Int?

    init(_ models: LMDBModelStore, _ bug: PlantedBug?, pages: Int?) {
        (self.models, self.bug, self.pages) = (models, bug, pages)
    }

    var checkpointed: Position { models.checkpointed }
    var failure: StorageError? { models.failure }
    var bufferedBytes: Int { models.bufferedBytes }
    var storedBytes: Int { models.storedBytes }
    func setAside(at position: Position) -> StoringWork {
        guard let pages else { return models.setAside(at: position) }
        let checkpoint = models.freeze(at: position)
        return { () throws(StorageError) in try checkpoint.run(pages: pages) }
    }
    func finish() throws(StorageError) { try models.finish() }
    func fail() { models.fail() }
    /// What is undone is still there.
    func discard() { if bug != .rollBackKeepsRows { models.discard() } }
    func clearStaleReaders() { models.clearStaleReaders() }

    func put(_ value: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) {
        if bug != .keysAreForgotten || table != StreamTables.keys.number { models.put(value, in: table, at: key) }
    }
    func remove(in table: UInt8, at key: UnsafeRawBufferPointer) { models.remove(in: table, at: key) }
    func add(_ change: Int64, in table: UInt8, at key: UnsafeRawBufferPointer) throws(StorageError) {
        try models.add(change, in: table, at: key)
    }
    func write(_ batch: borrowing EntryBatch) throws(StorageError) { try models.write(batch) }
    func append(_ bytes: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) throws(StorageError) {
        try models.append(bytes, in: table, at: key)
    }
    func lend(
        _ table: UInt8, at key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(StorageError) -> Bool { try models.lend(table, at: key, body) }
    func walk(
        _ table: UInt8, _ range: KeyBounds, _ order: Order,
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) { try models.walk(table, range, order, visit) }
}
