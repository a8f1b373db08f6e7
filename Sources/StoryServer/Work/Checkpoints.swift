import StoryCore
import StoryFold
import StoryStorage

/// The checkpoints of a store of models: stored in the background, one at a time.
///
/// A checkpoint freezes the memtables when all folded events are durable or about to be. Then the log is flushed
/// through their position, and then they are stored. The loop waits for none of it: it calls `advance` whenever a step
/// may have ended.
final class Checkpoints {
    /// The number of folded events at which a checkpoint is due.
    static let events: UInt64 = 100_000
    /// The size of the memtables at which a checkpoint is due, in bytes.
    static let bytes = 10 << 20
    /// The size in bytes above which writes wait for the checkpoint in progress, or are refused where that has failed.
    static let maxBytes = 28 << 20

    /// The back-pressure on writes that bounds the memory for memtables.
    enum Pressure: Equatable {
        /// Writes are accepted.
        case none
        /// Writes wait for the checkpoint.
        case hold
        /// Writes are refused, since the checkpoint has failed.
        case refuse
    }

    private let models: any ServedModels
    private let flush: LogFlush
    private let trace: Trace
    private let figures: Figures
    private let starter: JobStarter
    private var state = CheckpointState.idle
    /// The position through which requests wait for everything to be stored.
    private var asked = Position.zero
    /// The current tick, of 0.1 s.
    private var tick: UInt64 = 0
    /// Why the checkpoint in progress is not stored yet; nil when nothing failed.
    private(set) var failure: StorageError?
    /// True from a checkpoint that failed until one is stored.
    private(set) var hasFailed = false
    /// The number of stored checkpoints.
    private(set) var count: UInt64 = 0
    /// The bytes of memtables that were stored and freed, as far as nobody has taken them.
    private var freedBytes = 0

    init(
        _ models: any ServedModels, _ flush: LogFlush, _ trace: Trace, _ starter: JobStarter,
        _ figures: Figures = Figures()
    ) {
        (self.models, self.flush, self.trace) = (models, flush, trace)
        (self.starter, self.figures) = (starter, figures)
    }

    var checkpointed: Position { models.checkpointed }
    /// The memory for events that are not stored, in bytes.
    var bufferedBytes: Int { models.bufferedBytes }

    /// True while no checkpoint may begin: the models are about to be replaced.
    var isHeld = false

    /// True when no checkpoint is in progress, so that the stored models can be replaced.
    var isAtRest: Bool { state.isAtRest }

    /// True while a thread stores the models.
    var isStoring: Bool { state.isStoring }

    /// The present back-pressure on writes.
    var pressure: Pressure {
        let bytes = models.bufferedBytes
        return switch state {
        case .idle, .storing: bytes < Checkpoints.maxBytes ? .none : .hold
        case .waitingForFlush(let frozen):
            if failure == nil { bytes < Checkpoints.maxBytes ? .none : .hold } else { refusal(frozen.bytes + bytes) }
        case .failed(let frozen, _): refusal((frozen?.bytes ?? 0) + bytes)
        case .damaged: refusal(bytes)
        }
    }

    private func refusal(_ bytes: Int) -> Pressure { bytes < Checkpoints.maxBytes ? .none : .refuse }

    /// Returns true when the memtables should be frozen, and can be.
    func isDue(at position: Position) -> Bool {
        guard state.isIdle, !isHeld else { return false }
        return asked > checkpointed || Checkpoints.isDue(models, at: position)
    }

    /// Returns true when the folded events up to a position that are not stored are enough for a checkpoint.
    static func isDue(_ models: any ServedModels, at position: Position) -> Bool {
        position.value - min(models.checkpointed.value, position.value) >= events || models.bufferedBytes >= bytes
    }

    // MARK: Steps

    /// Freezes the memtables, whose events are durable or about to be. Does nothing while a checkpoint is in progress,
    /// or where nothing is new.
    func freeze(at position: Position) {
        guard state.isIdle, !isHeld, position != checkpointed else { return }
        failure = nil
        let bytes = models.bufferedBytes
        state = .waitingForFlush(
            FrozenModels(position: position, bytes: bytes, work: models.beginStoring(at: position)))
    }

    /// Advances the checkpoint as far as it can without waiting.
    func advance() {
        switch state {
        case .idle, .damaged: break
        case .waitingForFlush(let frozen):
            if flush.reaches(frozen.position, isUrgent: isAskedFor) { store(frozen) }
        case .storing(let frozen, let job):
            if let result = job.result { ended(frozen, result) }
        case .failed(let frozen, let retry):
            guard retry.hasEnded(at: tick) || isAskedFor, areModelsOpen() else { break }
            state = frozen.map { .waitingForFlush($0) } ?? .idle
            advance()
        }
    }

    /// Notes that the log could not be flushed; the flush is retried.
    func flushFailed(_ error: StorageError) {
        switch state {
        case .waitingForFlush: failed(error)
        case .idle, .storing, .failed, .damaged: break
        }
    }

    func ticked(_ tick: UInt64) { self.tick = tick }

    /// Frees the memory of models that got no events since their last checkpoint.
    func releaseMemory() { if state.isIdle { models.releaseMemory() } }

    /// Returns the bytes of memtables that were stored and freed since the last call.
    func takeFreedBytes() -> Int {
        defer { freedBytes = 0 }
        return freedBytes
    }

    /// Discards the models' events that are not stored, since the last of them are undone; the rest is folded again.
    func rollBack() {
        switch state {
        case .waitingForFlush, .failed(.some, _):
            models.fail()
            state = .idle
        // A checkpoint that is being stored is durable, and replaces the stored models; its events are folded again
        // meanwhile.
        case .storing, .failed(nil, _), .idle, .damaged: break
        }
        models.discard()
    }

    /// Notes that the stored models were replaced by whole ones: checkpoints may begin again.
    func modelsReplaced() {
        isHeld = false
        guard case .damaged = state else { return }
        state = .idle
        (failure, hasFailed) = (nil, false)
    }

    /// Waits for the checkpoint that is being stored.
    func wait() {
        guard case .storing(let frozen, let job) = state else { return }
        ended(frozen, job.wait())
    }

    /// Stores everything, after the loop has ended and the log was flushed.
    func end(at position: Position) {
        wait()
        storeNow()
        freeze(at: position)
        storeNow()
    }

    // MARK: Waiting requests

    /// Stores everything up to a position as soon as that is possible.
    func ask(through position: Position) { asked = max(asked, position) }

    /// Forgets an earlier failure, which does not concern a new request, unless each checkpoint would meet it.
    func forgetFailure() {
        if case .damaged = state { return }
        failure = nil
    }

    /// True while a request waits that no failure was reported to: then a retry is not delayed.
    private var isAskedFor: Bool { asked > checkpointed && failure == nil }

    // MARK: Storing

    private func store(_ frozen: FrozenModels) {
        failure = nil
        figures.checkpointBegins()
        state = .storing(frozen, starter.start(frozen.work))
    }

    /// Stores the frozen memtables and waits for it.
    private func storeNow() {
        switch state {
        case .waitingForFlush(let frozen), .failed(.some(let frozen), _): store(frozen)
        case .failed(nil, _): if areModelsOpen() { state = .idle }
        case .idle, .storing, .damaged: break
        }
        wait()
    }

    private func ended(_ frozen: FrozenModels, _ result: Result<Void, StorageError>) {
        if case .failure(let error) = result { return endedInFailure(frozen, error) }
        do throws(StorageError) {
            try models.finish()
            count += 1
            freedBytes += frozen.bytes
            figures.checkpointEnded()
            hasFailed = false
            state = .idle
        } catch {
            state = .failed(nil, retry: RetryTimer(at: tick))
            failed(error)
        }
    }

    private func endedInFailure(_ frozen: FrozenModels, _ error: StorageError) {
        guard case .corrupt = error else {
            // Models that are opened again are stored by a checkpoint of their own.
            if models.isStopped { models.fail() }
            state = .failed(models.isStopped ? nil : frozen, retry: RetryTimer(at: tick))
            return failed(error)
        }
        models.fail()
        state = .damaged
        failed(error, then: "tried again once the models are rebuilt")
    }

    /// Opens the stored models again where nothing more can be stored in them.
    ///
    /// - Returns: false where that failed, or has to wait.
    private func areModelsOpen() -> Bool {
        do throws(StorageError) {
            return try models.recover()
        } catch {
            failed(error, then: "the models cannot be read")
            return false
        }
    }

    private func failed(_ error: StorageError, then next: String = "tried again in a second") {
        trace.say("checkpoint-failed", ["error": "\(error)", "then": next])
        hasFailed = true
        failure = error
    }
}
