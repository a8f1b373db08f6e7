import StoryCore
import StoryEngine
import StoryLog
import StoryStorage
import StoryWire

/// Carries out what the turn decides: appends, commits, rolls back, and says what may leave.
final class TurnDriver {
    @exclusivity(unchecked) private(set) var turn: Turn
    /// What rests on events up to here may leave at the end of the turn; nil when nothing may.
    private(set) var releasable: Position?
    /// The time of the steady clock, in tenths of a second.
    private(set) var tick: UInt64 = 0

    private let dependency: ServerDependency
    private let connections: Connections
    private let outbox: Outbox
    private let checkpoints: Checkpoints
    private let flush: LogFlush
    private var refusals = WriteRefusals()
    private var pace = CommitPace()
    private var gathering = CommitGathering()
    /// The commit under way; nil when there is none.
    private var committing: CommitJob?
    /// How long it took to begin it, in nanoseconds.
    private var beginning: UInt64 = 0
    private var committedAtTick: Position = .zero
    @exclusivity(unchecked) private var encoder = EventEncoder()
    /// True while what was appended cannot be committed before a flush has ended.
    @exclusivity(unchecked) private var isRoomAwaited = false
    /// True while memory holds what a checkpoint has to store first.
    @exclusivity(unchecked) private var isMemoryShort = false
    /// The bytes of the events that were appended since the last commit began.
    @exclusivity(unchecked) private var nextBytes = 0
    /// A commit of so many events does not wait for more.
    private static let fullCommit: UInt64 = 1_024
    /// How often readers are looked for whose process died, in tenths of a second.
    private static let readerTicks: UInt64 = 100

    init(
        _ dependency: ServerDependency, _ connections: Connections, _ outbox: Outbox, _ checkpoints: Checkpoints,
        _ flush: LogFlush
    ) {
        self.dependency = dependency
        self.connections = connections
        self.outbox = outbox
        self.checkpoints = checkpoints
        self.flush = flush
        turn = Turn(durable: dependency.log.committed)
    }

    private var log: any EventLog { dependency.log }
    private var engine: Engine { dependency.engine }

    /// The last event that is durable.
    var durable: Position { turn.durable }

    /// Why the process has to end; nil while it goes on.
    var stopReason: StorageError? { turn.stopReason }

    /// True when an event can be appended now.
    var takesAppends: Bool { turn.takesAppends }

    /// True while writes wait for a commit, a flush or a checkpoint, so that what waits for the disk stays bounded.
    var holdsWrites: Bool { isRoomAwaited || isMemoryShort || isNextFull }

    /// True while what was appended is enough for a commit that has not begun: the one before is under way.
    private var isNextFull: Bool { nextBytes >= dependency.configuration.limits.commit }

    /// Writes an event to the log and has its record folded, so that the next request sees it.
    func append(
        _ proposals: [EventProposal], _ index: Int, to stream: StreamName, key: RequestKey?, at place: EventPlace
    ) {
        guard turn.takesAppends else { return }
        let header = encoder.write(proposals, index, to: stream, key: key, at: place)
        let json = encoder.json
        nextBytes += json.count
        var failure: StorageError?
        do throws(StorageError) {
            try log.append(header, json: json) { record in
                do throws(StorageError) { try engine.fold(record) } catch { failure = error }
            }
        } catch {
            return perform(turn.appendFailed(error))
        }
        perform(turn.appended(through: place.position))
        if let failure { perform(turn.storageFailed(failure)) }
    }

    // MARK: The turn's end

    /// Everything that one poll brought was handled.
    ///
    /// - Parameters:
    ///   - mayGather: whether a commit may wait a moment for those who are about to write.
    ///   - isMoreAtHand: whether a turn follows at once, whose events may go into the same commit.
    func turnEnded(mayGather: Bool, isMoreAtHand: Bool) {
        modelsWereRead()
        // Asked once: time goes on. Meanwhile the loop sleeps: whoever is waited for may need this very processor.
        let gathering = mayGather && !isNextFull ? gatheringTime : 0
        makeRoom()
        let waits = gathering > 0 || mayGather && isMoreAtHand && isWorthMore || isRoomAwaited
        perform(turn.turnEnded(isGathering: waits))
        if gathering > 0 { dependency.transport.requestTurn(within: gathering) }
    }

    /// True while a commit that the loop runs itself is better for what is at hand. One beside the loop begins at once.
    private var isWorthMore: Bool {
        runsCommits && !isNextFull && log.head.value - log.committed.value < TurnDriver.fullCommit
    }

    /// True while the loop runs commits itself: with one connection nobody waits for a sync that takes long at once.
    private var runsCommits: Bool { pace.isQuick && connections.count <= 1 }

    /// Where the next commit needs a flush, it waits for it; where that found no room, the turn is rolled back.
    private func makeRoom() {
        let room = log.makeRoom()
        isRoomAwaited = room == .flushing
        if case .refused(let error) = room { perform(turn.appendFailed(error)) }
    }

    /// For how long what was appended waits for more, after a slow commit, in nanoseconds.
    private var gatheringTime: UInt64 {
        guard !runsCommits, committing == nil, log.head > log.committed else { return 0 }
        return gathering.waitingTime(with: log.head.value - log.committed.value, at: dependency.clock.steady())
    }

    /// Answers were made of the models: where reading them failed, nothing may leave any more.
    func modelsWereRead() { if let failure = dependency.models.failure { fail(failure) } }

    /// What is stored cannot be relied on any more.
    func fail(_ error: StorageError) { perform(turn.storageFailed(error)) }

    /// Takes what may leave now; nil when nothing may.
    func takeReleasable() -> Position? {
        defer { releasable = nil }
        return releasable
    }

    /// The commit beside the loop may have ended.
    func commitMayHaveEnded() {
        guard let outcome = dependency.commits.takeOutcome() else { return }
        let events = turn.durable.value
        commitEnded(outcome)
        // Whoever is answered now is about to write again, and the others have written meanwhile.
        gathering.slowCommitEnded(
            events: log.head.value - events, duration: outcome.nanoseconds, at: dependency.clock.steady())
    }

    /// Commits what was appended, and waits for it; the loop has ended.
    func finishCommits() {
        repeat {
            if let outcome = dependency.commits.wait() { commitEnded(outcome) }
            perform(turn.turnEnded())
        } while turn.quietPosition == nil && stopReason == nil
    }

    private func perform(_ action: Turn.Action) {
        switch action {
        case .none: break
        case .commit: commit()
        case .release(let position): releasable = position
        case .rollBack(let error): rollBack(error)
        case .stop(let error): stop(error)
        }
    }

    private func commit() {
        let began = dependency.clock.steady()
        let job: CommitJob
        do throws(StorageError) {
            guard let begun = try log.beginCommit() else { return perform(turn.commitFinished(.success(()))) }
            job = begun
        } catch {
            return perform(turn.commitFinished(.failure(error)))
        }
        committing = job
        nextBytes = 0
        let begun = dependency.clock.steady()
        beginning = begun - began
        guard runsCommits else {
            // With commits one after the other there is no moment at which all is durable: this one makes it so.
            if checkpoints.isDue(at: job.through) { setAside(at: job.through) }
            dependency.commits.start(job)
            return perform(turn.commitDelayed())
        }
        commitEnded(CommitOutcome(result: job.outcome, nanoseconds: dependency.clock.steady() - begun))
    }

    private func commitEnded(_ outcome: CommitOutcome) {
        // Only what could be done beside the loop says where the next one is run.
        pace.measured(outcome.nanoseconds)
        guard let job = committing else { preconditionFailure("A commit that ended was begun.") }
        committing = nil
        do throws(StorageError) {
            try log.finishCommit(job, outcome.result)
        } catch {
            return perform(turn.commitFinished(.failure(error)))
        }
        let count = log.committed.value - turn.durable.value
        dependency.figures.committed(events: count, nanoseconds: beginning + outcome.nanoseconds)
        perform(turn.commitFinished(.success(())))
    }

    // MARK: Failures

    /// Waits a full disk out: forgets what is not durable, refuses what rested on it, and refuses writes for a while.
    private func rollBack(_ error: StorageError) {
        dependency.trace.sayEachSecond("full", ["reason": "\(error)"])
        dependency.figures.set(.full, true)
        nextBytes = 0
        do throws(StorageError) {
            try restoreDurable()
            try engine.rolledBack()
        } catch {
            return perform(turn.rollBackFinished(.failure(error)))
        }
        let failure = Failure(.full, "\(error); nothing was written")
        refusals.diskIsFull(failure, at: tick)
        engine.writesRefused(refusals.failure)
        connections.rolledBack(to: turn.durable)
        outbox.rollBack(to: turn.durable, failure)
        perform(turn.rollBackFinished(.success(())))
    }

    /// Takes log and models back to what is durable: the models to their checkpoint, from where they are folded again.
    private func restoreDurable() throws(StorageError) {
        try log.rollBack()
        checkpoints.rollBack()
        // All of it was in memory a moment ago; storing it could meet the same full disk.
        try Recovery.fold(log, into: dependency.models, isStoring: false) { _, _ in }
    }

    /// Nobody knows what the disk holds: nothing that is waiting leaves any more.
    private func stop(_ error: StorageError) {
        dependency.trace.say("storage-failed", ["error": "\(error)", "then": "stopping: the disk is suspect"])
        releasable = nil
        outbox.removeAll()
        dependency.transport.stop()
    }

    // MARK: Storing

    /// A tenth of a second went by: what was refused is tried again, and while nothing comes in, the log is flushed.
    func ticked() {
        tick += 1
        checkpoints.ticked(tick)
        refusals.ticked(tick)
        engine.writesRefused(refusals.failure)
        flush.ticked(tick)
        if stopReason == nil, log.committed == committedAtTick { flush.startIdle() }
        committedAtTick = log.committed
        guard tick % TurnDriver.readerTicks == 0 else { return }
        dependency.models.clearStaleReaders()
        log.clearStaleReaders()
    }

    /// A flush beside the loop may have ended.
    func flushMayHaveEnded() {
        guard stopReason == nil else { return }
        do throws(StorageError) { try flush.poll() } catch { flushFailed(error) }
    }

    /// Goes on with the checkpoint under way, or begins one where it is due and everything that is folded is durable.
    func storeIfDue() {
        checkpoints.advance()
        if let position = turn.quietPosition, checkpoints.isDue(at: position) { setAside(at: position) }
        let pressure = checkpoints.pressure
        isMemoryShort = pressure == .hold
        refusals.memoryIsFull(pressure == .refuse)
        engine.writesRefused(refusals.failure)
    }

    /// Begins a checkpoint though it is not due.
    func storeIfQuiet() {
        guard let position = turn.quietPosition, position > checkpoints.checkpointed else { return }
        setAside(at: position)
    }

    /// Stores the models for the last time, and waits for it; the loop has ended.
    func storeAtEnd() {
        checkpoints.wait()
        guard let position = turn.quietPosition, position > checkpoints.checkpointed else { return }
        do throws(StorageError) { try flush.finish() } catch { return flushFailed(error) }
        checkpoints.end(at: position)
    }

    /// Stored models that knew more than the log would have to be thrown away with a journal that is lost: so the log
    /// is flushed before they are stored.
    private func setAside(at position: Position) {
        precondition(engine.head == position, "What is set aside is all that was folded.")
        checkpoints.setAside(at: position)
        checkpoints.advance()
    }

    private func flushFailed(_ error: StorageError) {
        checkpoints.flushFailed(error)
        perform(turn.flushFailed(error))
    }
}
