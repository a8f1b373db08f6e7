import StoryCore
import StoryLog
import StoryFold
import StoryServer
import StoryStorage

/// Commits that are told as done before they are: a planted bug.
final class EarlyCommits: SimulatedCommits {
    private var waiting: [CommitJob] = []
    private var ended: CommitOutcome?

    var isRunning: Bool { !waiting.isEmpty }

    func end() {
        for commit in waiting { _ = commit.end() }
        waiting = []
    }

    var isInDoubt: Bool { false }
    func endInDoubt(isDone: Bool) { end() }

    func start(_ commit: CommitJob) {
        waiting.append(commit)
        ended = CommitOutcome(end: .acknowledged, nanoseconds: 3_000_000)
    }

    func takeOutcome() -> CommitOutcome? { ended.take() }
    func wait() -> CommitOutcome? { ended.take() }
}

/// A log with a planted bug in front of it.
final class TwistedLog: EventLog {
    private let log: LMDBEventLog
    private let bug: PlantedBug
    /// The bytes of the commit under way, about, and of the one after it.
    private var (commitBytes, nextBytes) = (0, 0)
    /// What surely fits half of the smallest journal, and what a record has beside its JSON at most.
    private static let (journalBytes, recordBytes) = (24_000, 128)

    init(_ log: LMDBEventLog, _ bug: PlantedBug) { (self.log, self.bug) = (log, bug) }

    var head: Position { log.head }
    var committed: Position { log.committed }
    /// Models may be stored that know more than the blocks.
    var flushed: Position { bug == .checkpointAheadOfFlush ? log.committed : log.flushed }
    /// Without it a clock that jumps back is believed.
    var lastTime: Instant? { bug == .timesGoBack ? nil : log.lastTime }
    var bytes: Int { log.bytes }
    var storedIdentity: StoredIdentity { log.storedIdentity }

    func append(
        _ event: EventHeader, json: UnsafeRawBufferPointer, withRecord: (EventRecord) -> Void
    ) throws(StorageError) {
        var event = event
        if bug == .numbersAreReused { event.streamNumber = StreamNumber(1) }
        nextBytes += json.count + TwistedLog.recordBytes
        try log.append(event, json: json, withRecord: withRecord)
    }

    func ingest(_ records: UnsafeRawBufferPointer, withRecord: (EventRecord) -> Void) throws(StorageError) {
        try log.ingest(records, withRecord: withRecord)
    }

    func scanRecords(
        from: Position, through: Position, _ visit: (Position, UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) { try log.scanRecords(from: from, through: through, visit) }

    func ensureSpace(through position: Position) -> CommitRoom { log.ensureSpace(through: position) }
    func beginCommit(through position: Position) throws(StorageError) -> CommitJob? {
        (commitBytes, nextBytes) = (nextBytes, 0)
        // What is not decided yet is stored with what is.
        return try log.beginCommit(through: bug == .undecidedIsStored ? log.head : position)
    }
    func finishCommit(_ job: CommitJob, _ end: CommitEnd) throws(StorageError) {
        // Of a commit into blocks the log itself knows how it ended.
        let isTrusted = bug == .failedCommitIsTrusted && commitBytes < TwistedLog.journalBytes
        try log.finishCommit(job, isTrusted ? .acknowledged : end)
    }
    func rollBack(to position: Position) throws(StorageError) {
        nextBytes = 0
        try log.rollBack(to: position)
    }
    func startFlush() { log.startFlush() }
    func startFlush(through position: Position) { log.startFlush(through: position) }
    func pollFlush() throws(StorageError) { try log.pollFlush() }
    func flush() throws(StorageError) { try log.flush() }

    func scan(
        from: Position, through: Position, order: Order, _ visit: (EventRecord) -> Bool
    ) throws(StorageError) {
        try log.scan(from: from, through: through, order: order) { record in
            bug == .eventIsSkipped && record.position.value % 16 == 0 || visit(record)
        }
    }

    /// Where a record is looked for.
    private func place(_ position: Position) -> Position {
        let isWrong = bug == .blockIndexIsOffByOne && position <= log.flushed && position.value % 8 == 0
        return isWrong ? Position(position.value - 1) : position
    }

    func records(at positions: [Position], _ visit: (EventRecord) -> Bool) throws(StorageError) {
        try log.records(at: positions.map(place), visit)
    }
    func position(at time: Instant) throws(StorageError) -> Position {
        let position = try log.position(at: time)
        return bug == .timeIsFoundLate && position < log.committed ? Position(position.value + 1) : position
    }
    func clearStaleReaders() { log.clearStaleReaders() }
    func close() { log.close() }
}
