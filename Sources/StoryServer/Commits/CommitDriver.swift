import StoryCore
import StoryEngine
import StoryLog
import StoryFold
import StoryStorage
import StoryWire

/// The driver of the commit cycle: carries out the turn's decisions to append, commit, roll back and release.
final class CommitDriver {
    var turn: Turn
    /// Output that depends on events up to here may be sent at the end of the turn; nil when none may.
    var sendablePosition: Position?
    /// The number of timer ticks since the start, of 0.1 s each.
    private(set) var tick: UInt64 = 0

    let log: any EventLog
    let models: any ServedModels
    let engine: Engine
    let journal: JournalCommit
    /// The way in which events are acknowledged.
    let committer: any Committer
    let effects: Effects
    let clock: Clock
    let transport: any Transport
    let trace: Trace
    let figures: Figures
    let connections: Connections
    let outbox: Outbox
    let checkpoints: Checkpoints
    let storing: ModelCheckpoints
    let flush: LogFlush
    let declared: DeclaredModels
    let life: Life
    let entry: EntryBuilder
    var refusals = WriteRefusals()
    private(set) var stall = WriteStall()
    var policy: GroupCommitPolicy
    private var committedAtTick: Position = .zero
    /// True while the appended events cannot be committed before a flush has ended.
    var isWaitingForFlush = false
    /// True while memory is full of events that a checkpoint must store first.
    var isMemoryShort = false
    /// The fold of the events that the models lack after a rollback.
    let refolding: Refolding
    /// The number of times that the end of the process tries to commit the remaining events.
    private static let lastTries = 10

    init(
        log: any EventLog, models: any ServedModels, engine: Engine, fold: EventFold, journal: JournalCommit,
        committer: any Committer, effects: Effects, clock: Clock, transport: any Transport, trace: Trace,
        figures: Figures, connections: Connections, outbox: Outbox, checkpoints: Checkpoints, flush: LogFlush,
        declared: DeclaredModels, life: Life
    ) {
        (self.log, self.models, self.engine, self.clock, self.effects) = (log, models, engine, clock, effects)
        (self.journal, self.committer, self.transport, self.trace) = (journal, committer, transport, trace)
        (self.connections, self.outbox, self.checkpoints, self.flush) = (connections, outbox, checkpoints, flush)
        (self.figures, self.declared, self.life) = (figures, declared, life)
        storing = ModelCheckpoints(checkpoints, declared, engine)
        refolding = Refolding(log, models, engine, declared.folds.share)
        entry = EntryBuilder(log, fold)
        turn = Turn(stored: log.committed, storesBeside: committer.storesBeside)
        policy = GroupCommitPolicy(bytesPerCommit: committer.bytesPerCommit)
    }

    /// The last appended event.
    var head: Position { log.head }
    /// The last acknowledged event.
    var acknowledged: Position { turn.acknowledged }

    /// True while the models are no fold of the log: then nothing may read them.
    var isHalfFolded: Bool { !refolding.isOver }

    /// Returns true while writes must wait for a commit, a flush or a checkpoint: back-pressure that bounds the unsynced
    /// data. A full commit begins after the one in progress. For a long fold the writes of all other connections wait.
    func holdsWrites(of connection: Connection? = nil) -> Bool {
        holdsEvents || committer.isFull || declared.folds.holdsWrites(but: connection)
    }

    /// True while events must wait, wherever they were decided.
    private var holdsEvents: Bool {
        isHalfFolded || isWaitingForFlush || isMemoryShort || policy.isFull(bytes: entry.bytes) || engine.feed.isFull
            || declared.isAwaitingQuiet
    }

    /// True while an entry that came from elsewhere can be taken, since few enough events wait for the journal or for a
    /// checkpoint.
    var mayTakeEntry: Bool { takesAny && !committer.isFull && refusals.failure == nil }

    /// True while an entry of the ordering service can be taken though the own disk is full: it is acknowledged, so
    /// others have it, and memory has room for it.
    var mayHoldEntry: Bool { takesAny && !committer.holdsMuch && refusals.failureBesidesDisk == nil }

    private var takesAny: Bool { !life.hasFailed && turn.takesEntries && !holdsEvents && declared.folds.takesEntries }

    /// Appends an event to the log and folds its record, so that the next request sees it; returns whether it did.
    func append(
        _ proposals: [EventProposal], _ index: Int, to stream: StreamName, key: RequestKey?,
        cursor: ByteView?, at place: EventMetadata, after prior: PriorState
    ) -> Bool {
        guard turn.takesAppends else { return false }
        switch entry.append(proposals, index, to: stream, key: key, cursor: cursor, at: place, after: prior) {
        case .folded:
            perform(turn.appended(through: place.position))
            return true
        case .refused(let error): perform(turn.appendFailed(error))
        case .notFolded(let error): foldFailed(error)
        }
        return false
    }

    /// Takes an entry that came from elsewhere, where it is acknowledged: its records, as they are.
    ///
    /// - Returns: false, and takes nothing, while events of this store wait for their commit, or the entry for its fold.
    /// - Throws: `.corrupt` if the records cannot follow the head; then nothing is taken.
    func arrived(_ records: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
        guard turn.takesEntries, declared.folds.look(at: records) else { return false }
        // Rows that were asked for are read before it: its fold may fail.
        engine.flush()
        switch try entry.ingest(records, folded: engine.folded) {
        case .folded:
            perform(turn.arrived(through: log.head))
            if committer.arrived(bytes: entry.bytes) { entry.beginNext() }
        case .refused(let error): fail(error)
        case .notFolded(let error): foldFailed(error)
        }
        return true
    }

    // MARK: The turn's end

    /// Ends the turn: commits, unless the commit waits for more events.
    ///
    /// - Parameters:
    ///   - mayGather: whether the commit may wait for more writes.
    ///   - isMoreAtHand: whether another turn follows at once, whose events may join the commit.
    func turnEnded(mayGather: Bool, isMoreAtHand: Bool) {
        modelsWereRead()
        refolding.turnEnds()
        models.turnEnded()
        ensureSpace()
        let decision = decision(mayGather: mayGather, isMoreAtHand: isMoreAtHand)
        perform(turn.turnEnded(decision))
        // The loop sleeps through the delay, since the clients may need this very processor.
        if case .wait(let delay) = decision, delay > 0 { transport.requestTurn(within: delay) }
    }

    /// Returns the policy's decision on the events that are not durable; without any, or during a commit, it is unused.
    private func decision(mayGather: Bool, isMoreAtHand: Bool) -> GroupCommitPolicy.Decision {
        let durable = committer.durable(acknowledged: turn.acknowledged)
        guard !committer.isUnderWay, log.head > durable else { return .commitOnWorker }
        if mayGather && refusals.isDiskFull || !committer.isOpen { return .wait(nanoseconds: 0) }
        let next = GroupCommitPolicy.Situation(
            events: log.head.value - durable.value, bytes: entry.bytes, connections: connections.count,
            mayGather: mayGather, isMoreAtHand: isMoreAtHand,
            isWaitingForFlush: isWaitingForFlush && !committer.storesBeside)
        return policy.decide(next, at: clock.steady())
    }

    /// Starts the flush that the next commit of the journal needs, and waits for it.
    private func ensureSpace() {
        isWaitingForFlush = false
        let last = committer.lastToStore(
            head: log.head, acknowledged: turn.acknowledged, isDiskFull: refusals.isDiskFull)
        guard let last else { return }
        let room = log.ensureSpace(through: last)
        isWaitingForFlush = room == .flushing
        if case .refused(let error) = room { perform(turn.spaceRefused(error)) }
    }

    /// Stops the process where reading the models has failed: replies made of them must not be sent.
    func modelsWereRead() { if let failure = models.failure { fail(failure) } }

    /// Stops the process, since the stored data cannot be relied on.
    func fail(_ error: StorageError) { perform(turn.storageFailed(error)) }

    /// Takes the position through which output may be sent now; nil when none may.
    func takeReleasable() -> Position? {
        defer { sendablePosition = nil }
        return sendablePosition
    }

    /// Finishes the commit in the background, if it has ended.
    func commitMayHaveEnded() {
        if let outcome = journal.takeOutcome() { commitEnded(outcome, isInline: false) }
    }

    /// Commits all appended events and waits for it, after the loop has ended; gives up what cannot be committed.
    func finishCommits() {
        for _ in 0..<CommitDriver.lastTries {
            if !life.hasFailed { journal.tryAgain() }
            if let outcome = journal.wait() { commitEnded(outcome, isInline: false) }
            isWaitingForFlush = false
            perform(turn.turnEnded(decision(mayGather: false, isMoreAtHand: false)))
            storeBeside(isLast: true)
            guard turn.checkpointPosition == nil, !life.hasFailed else { break }
        }
        refold(isLast: true)
    }

    func perform(_ action: Turn.Action) {
        switch action {
        case .none: break
        case .commitInline: commit(isInline: true)
        case .commitOnWorker: commit(isInline: false)
        case .release(let position): sendablePosition = position
        case .rollBack(let failure): rollBack(failure)
        case .storeLater(let failure): pause(failure)
        case .stop(let error): stop(error)
        }
    }

    private func commit(isInline: Bool) {
        let step = committer.begin(
            CommitOfTurn(head: log.head, acknowledged: acknowledged, bytes: entry.bytes, isInline: isInline))
        switch step {
        case .nothing: perform(turn.commitEnded(.acknowledged))
        case .ended(let end): perform(turn.commitEnded(end))
        case .ran(let outcome):
            entry.beginNext()
            commitEnded(outcome, isInline: true)
        case .begun(let position):
            entry.beginNext()
            freezeIfDue(at: position)
            committer.start()
            perform(turn.commitDelayed())
        }
    }

    /// Takes the end of a commit of the journal. If its outcome is unknown, it has none: the same entry is tried again.
    private func commitEnded(_ outcome: CommitOutcome, isInline: Bool) {
        let committed = log.committed.value
        guard let end = journal.ended(outcome) else { return }
        turn.stored(through: log.committed)
        let count = log.committed.value - committed
        switch committer.journalEnded(end) {
        case .acknowledges:
            // Measures the commit itself, without its begin: the average decides where the next one runs.
            policy.commitEnded(nanoseconds: outcome.nanoseconds)
            if count > 0 { figures.committed(events: count, nanoseconds: journal.beginning + outcome.nanoseconds) }
            perform(turn.commitEnded(end))
            if !isInline { workerCommitEnded(since: committed, outcome.nanoseconds) }
        case .stored: effects.add(.stored(through: log.committed))
        case .notStored(let failure): pause(failure)
        case .failed(let error): fail(error)
        }
    }

    /// Takes the end of a commit elsewhere, which took this time; returns true where its events are acknowledged.
    func commitEnded(_ end: CommitEnd, nanoseconds: UInt64) -> Bool {
        let before = acknowledged.value
        policy.commitEnded(nanoseconds: nanoseconds)
        perform(turn.commitEnded(end))
        guard acknowledged.value > before else { return false }
        figures.committed(events: acknowledged.value - before, nanoseconds: nanoseconds)
        workerCommitEnded(since: before, nanoseconds)
        return true
    }

    /// Clients that get their replies now are about to write again, and others have written meanwhile.
    private func workerCommitEnded(since position: UInt64, _ nanoseconds: UInt64) {
        policy.workerCommitEnded(events: log.head.value - position, nanoseconds: nanoseconds, at: clock.steady())
    }

    /// Has the events undone that were decided here and are in no entry, since another node may lead.
    func leadLost() { perform(turn.leadLost(.superseded)) }

    // MARK: Storing

    /// Counts a tick of 0.1 s: retries refused work, and flushes the log while no commits come.
    func ticked() {
        tick += 1
        if !life.hasFailed { journal.tryAgain() }
        checkpoints.ticked(tick)
        declared.ticked(tick)
        refusals.ticked(tick)
        stall.ticked(areWaiting: holdsWrites() || head > acknowledged, acknowledged: acknowledged)
        committer.ticked()
        engine.writesRefused(refusals.failure)
        flush.ticked(tick)
        if !life.hasFailed, log.committed == committedAtTick { flush.startIdle() }
        committedAtTick = log.committed
    }
}
