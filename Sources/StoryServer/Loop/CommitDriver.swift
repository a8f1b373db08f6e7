import StoryCore
import StoryEngine
import StoryLog
import StoryModels
import StoryStorage
import StoryWire

/// The driver of the commit cycle: carries out the turn's decisions to append, commit, roll back and release.
final class CommitDriver {
    @exclusivity(unchecked) private(set) var turn: Turn
    /// Output that depends on events up to here may be sent at the end of the turn; nil when none may.
    private(set) var sendablePosition: Position?
    /// The number of timer ticks since the start, of 0.1 s each.
    private(set) var tick: UInt64 = 0

    private let dependency: ServerDependency
    private let connections: Connections
    private let outbox: Outbox
    private let checkpoints: Checkpoints
    private let flush: LogFlush
    private var refusals = WriteRefusals()
    private var policy: GroupCommitPolicy
    /// The commit in progress; nil when there is none.
    private var committing: CommitJob?
    /// How long the commit in progress took to begin, in nanoseconds.
    private var beginning: UInt64 = 0
    private var committedAtTick: Position = .zero
    @exclusivity(unchecked) private var encoder = EventEncoder()
    /// True while the appended events cannot be committed before a flush has ended.
    @exclusivity(unchecked) private var isWaitingForFlush = false
    /// True while memory is full of events that a checkpoint must store first.
    @exclusivity(unchecked) private var isMemoryShort = false
    /// The bytes of the events appended since the last commit began.
    @exclusivity(unchecked) private var nextBytes = 0
    /// The interval of the search for readers whose process ended, in ticks of 0.1 s.
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
        policy = GroupCommitPolicy(bytesPerCommit: dependency.configuration.limits.commit)
    }

    private var log: any EventLog { dependency.log }
    private var engine: Engine { dependency.engine }

    /// The last durable event.
    var durable: Position { turn.durable }

    /// Why the process must end; nil while it may go on.
    var stopReason: StorageError? { turn.stopReason }

    /// True when an event can be appended now.
    var takesAppends: Bool { turn.takesAppends }

    /// True while writes must wait for a commit, a flush or a checkpoint: back-pressure that bounds the unsynced data. A
    /// full commit begins after the one in progress.
    var holdsWrites: Bool { isWaitingForFlush || isMemoryShort || policy.isFull(bytes: nextBytes) }

    /// Appends an event to the log and folds its record, so that the next request sees it.
    func append(
        _ proposals: [EventProposal], _ index: Int, to stream: StreamName, key: RequestKey?,
        at place: EventMetadata, after prior: PriorState
    ) {
        guard turn.takesAppends else { return }
        let header = encoder.write(proposals, index, to: stream, key: key, at: place)
        nextBytes += encoder.json.count
        var failure: StorageError?
        do throws(StorageError) {
            try log.append(header, json: encoder.json) { record in
                do throws(StorageError) { try engine.fold(record, after: prior) } catch { failure = error }
            }
        } catch { return perform(turn.appendFailed(error)) }
        perform(turn.appended(through: place.position))
        if let failure { perform(turn.storageFailed(failure)) }
    }

    // MARK: The turn's end

    /// Ends the turn: commits, unless the commit waits for more events.
    ///
    /// - Parameters:
    ///   - mayGather: whether the commit may wait for more writes.
    ///   - isMoreAtHand: whether another turn follows at once, whose events may join the commit.
    func turnEnded(mayGather: Bool, isMoreAtHand: Bool) {
        modelsWereRead()
        ensureSpace()
        let decision = decision(mayGather: mayGather, isMoreAtHand: isMoreAtHand)
        perform(turn.turnEnded(decision))
        // The loop sleeps through the delay, since the clients may need this very processor.
        if case .wait(let delay) = decision, delay > 0 { dependency.transport.requestTurn(within: delay) }
    }

    /// Returns the policy's decision on the events that are not durable; without any, or during a commit, it is unused.
    private func decision(mayGather: Bool, isMoreAtHand: Bool) -> GroupCommitPolicy.Decision {
        guard committing == nil, log.head > log.committed else { return .commitOnWorker }
        let next = GroupCommitPolicy.Situation(
            events: log.head.value - log.committed.value, bytes: nextBytes, connections: connections.count,
            mayGather: mayGather, isMoreAtHand: isMoreAtHand, isWaitingForFlush: isWaitingForFlush)
        return policy.decide(next, at: dependency.clock.steady())
    }

    /// Starts the flush that the next commit needs, and waits for it; rolls the turn back where it found no room.
    private func ensureSpace() {
        let room = log.ensureSpace()
        isWaitingForFlush = room == .flushing
        if case .refused(let error) = room { perform(turn.appendFailed(error)) }
    }

    /// Stops the process where reading the models has failed: replies made of them must not be sent.
    func modelsWereRead() { if let failure = dependency.models.failure { fail(failure) } }

    /// Stops the process, since the stored data cannot be relied on.
    func fail(_ error: StorageError) { perform(turn.storageFailed(error)) }

    /// Takes the position through which output may be sent now; nil when none may.
    func takeReleasable() -> Position? {
        defer { sendablePosition = nil }
        return sendablePosition
    }

    /// Finishes the commit in the background, if it has ended.
    func commitMayHaveEnded() {
        guard let outcome = dependency.commits.takeOutcome() else { return }
        let events = turn.durable.value
        commitEnded(outcome)
        // Clients that get their replies now are about to write again, and others have written meanwhile.
        policy.workerCommitEnded(
            events: log.head.value - events, nanoseconds: outcome.nanoseconds, at: dependency.clock.steady())
    }

    /// Commits all appended events and waits for it, after the loop has ended.
    func finishCommits() {
        repeat {
            if let outcome = dependency.commits.wait() { commitEnded(outcome) }
            isWaitingForFlush = false
            perform(turn.turnEnded(decision(mayGather: false, isMoreAtHand: false)))
        } while turn.checkpointPosition == nil && stopReason == nil
    }

    private func perform(_ action: Turn.Action) {
        switch action {
        case .none: break
        case .commitInline: commit(isInline: true)
        case .commitOnWorker: commit(isInline: false)
        case .release(let position): sendablePosition = position
        case .rollBack(let error): rollBack(error)
        case .stop(let error): stop(error)
        }
    }

    private func commit(isInline: Bool) {
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
        guard isInline else {
            // With back-to-back commits, never is everything durable: the checkpoint starts with this commit.
            if checkpoints.isDue(at: job.through) { freeze(at: job.through) }
            dependency.commits.start(job)
            return perform(turn.commitDelayed())
        }
        commitEnded(CommitOutcome(result: job.outcome, nanoseconds: dependency.clock.steady() - begun))
    }

    private func commitEnded(_ outcome: CommitOutcome) {
        // Measures the commit itself, without its begin: the average decides where the next one runs.
        policy.commitEnded(nanoseconds: outcome.nanoseconds)
        guard let job = committing else { preconditionFailure("a commit ended that was not begun") }
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

    /// Handles a full disk: forgets events that are not durable, fails their replies, and refuses writes for a while.
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

    /// Rolls the log back to its durable events, and the models to their checkpoint, from which they are folded again.
    private func restoreDurable() throws(StorageError) {
        try log.rollBack()
        checkpoints.rollBack()
        // The events were in memory a moment ago; a checkpoint could meet the same full disk.
        try Recovery.fold(log, into: dependency.models, by: engine.plan, isStoring: false) { _, _ in }
    }

    /// Stops the process: the state of the disk is unknown, so no waiting output is sent.
    private func stop(_ error: StorageError) {
        dependency.trace.say("storage-failed", ["error": "\(error)", "then": "stopping: the disk is suspect"])
        sendablePosition = nil
        outbox.removeAll()
        dependency.transport.stop()
    }

    // MARK: Storing

    /// Counts a tick of 0.1 s: retries refused work, and flushes the log while no commits come.
    func ticked() {
        tick += 1
        checkpoints.ticked(tick)
        refusals.ticked(tick)
        engine.writesRefused(refusals.failure)
        flush.ticked(tick)
        if stopReason == nil, log.committed == committedAtTick { flush.startIdle() }
        committedAtTick = log.committed
        guard tick % CommitDriver.readerTicks == 0 else { return }
        dependency.models.clearStaleReaders()
        log.clearStaleReaders()
    }

    /// Finishes the flush in the background, if it has ended.
    func flushMayHaveEnded() {
        guard stopReason == nil else { return }
        do throws(StorageError) { try flush.poll() } catch { flushFailed(error) }
    }

    /// Advances the checkpoint in progress, or begins one where it is due and all folded events are durable.
    func storeIfDue() {
        checkpoints.advance()
        if let position = turn.checkpointPosition, checkpoints.isDue(at: position) { freeze(at: position) }
        let pressure = checkpoints.pressure
        isMemoryShort = pressure == .hold
        refusals.memoryIsFull(pressure == .refuse)
        engine.writesRefused(refusals.failure)
    }

    /// Begins a checkpoint before it is due, where there are events to store.
    func storeIfQuiet() {
        guard let position = turn.checkpointPosition, position > checkpoints.checkpointed else { return }
        freeze(at: position)
    }

    /// Stores the models for the last time and waits for it, after the loop has ended.
    func storeAtEnd() {
        checkpoints.wait()
        guard let position = turn.checkpointPosition, position > checkpoints.checkpointed else { return }
        do throws(StorageError) { try flush.finish() } catch { return flushFailed(error) }
        checkpoints.end(at: position)
    }

    /// Freezes the models for a checkpoint. The log is flushed before they are stored: stored models that were ahead of
    /// a log whose journal was lost would have to be discarded.
    private func freeze(at position: Position) {
        precondition(engine.head == position, "freeze at \(position.value), but folded through \(engine.head.value)")
        checkpoints.freeze(at: position)
        checkpoints.advance()
    }

    private func flushFailed(_ error: StorageError) {
        checkpoints.flushFailed(error)
        perform(turn.flushFailed(error))
    }
}
