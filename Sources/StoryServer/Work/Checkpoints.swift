import StoryCore
import StoryModels
import StoryStorage

/// Stores the models beside the loop, one checkpoint at a time, and knows who waits for one.
///
/// Buffers are set aside when all that is folded is durable or about to be, the log is flushed up to their position, and
/// then they are stored. The loop waits for none of it; it has `advance` called whenever a step may have ended.
final class Checkpoints {
    /// So many events are folded before a checkpoint is due.
    static let events: UInt64 = 100_000
    /// Or so many bytes wait in memory.
    static let bytes = 10 << 20
    /// With more than this writes wait until the checkpoint under way is done, and where it failed they are refused.
    static let maxBytes = 28 << 20
    /// How many tenths of a second go by before one that failed is tried again.
    static let retryTicks: UInt64 = 10

    /// How far the checkpoint under way is.
    private enum State {
        /// None is under way.
        case idle
        /// Buffers are set aside, and the log is not flushed as far as they go.
        case waitingForFlush(SetAside)
        /// They are being stored.
        case storing(SetAside, BackgroundJob<Bool>)
        /// Storing failed, and is tried again at this tick. Without buffers they are stored, but cannot be read.
        case failed(SetAside?, untilTick: UInt64)
    }

    /// Buffers that wait to be stored.
    private struct SetAside {
        let position: Position
        /// The memory that they take.
        let bytes: Int
        /// May be run again where it threw.
        let work: StoringWork
    }

    /// What becomes of writes for the sake of memory.
    enum Pressure: Equatable {
        /// They are taken.
        case none
        /// They wait for the checkpoint.
        case hold
        /// They are refused: what waits to be stored cannot be.
        case refuse
    }

    /// Somebody who asked for everything up to a position to be stored.
    private struct Waiter {
        let connection: Connection
        let tag: Tag?
        let position: Position
    }

    private let models: any ServedModels
    private let flush: LogFlush
    private let trace: Trace
    private let figures: Figures
    private let background: BackgroundStarter
    private let whenDone: @Sendable () -> Void
    private var state = State.idle
    private var waiters: [Waiter] = []
    private var tick: UInt64 = 0
    /// Why the checkpoint under way is not stored yet; nil when nothing failed.
    private(set) var failure: StorageError?
    /// How many were stored.
    private(set) var count: UInt64 = 0

    init(
        _ models: any ServedModels, _ flush: LogFlush, _ trace: Trace, _ figures: Figures = Figures(),
        _ background: BackgroundStarter = .niceThreads,
        whenDone: @escaping @Sendable () -> Void
    ) {
        self.models = models
        self.flush = flush
        self.trace = trace
        self.figures = figures
        self.background = background
        self.whenDone = whenDone
    }

    var checkpointed: Position { models.checkpointed }

    /// True when buffers can be set aside.
    private var isIdle: Bool {
        switch state {
        case .idle: true
        case .waitingForFlush, .storing, .failed: false
        }
    }

    /// True while a thread stores models.
    var isStoring: Bool {
        switch state {
        case .storing: true
        case .idle, .waitingForFlush, .failed: false
        }
    }

    /// What becomes of writes now.
    var pressure: Pressure {
        let bytes = models.bufferedBytes
        return switch state {
        case .idle, .storing: bytes < Checkpoints.maxBytes ? .none : .hold
        case .waitingForFlush(let aside):
            if failure == nil { bytes < Checkpoints.maxBytes ? .none : .hold } else { refusal(aside.bytes + bytes) }
        case .failed(let aside, _): refusal((aside?.bytes ?? 0) + bytes)
        }
    }

    private func refusal(_ bytes: Int) -> Pressure { bytes < Checkpoints.maxBytes ? .none : .refuse }

    /// True when buffers are to be set aside as soon as they can be.
    func isDue(at position: Position) -> Bool {
        guard isIdle else { return false }
        return waiters.contains { $0.position > checkpointed } || Checkpoints.isDue(models, at: position)
    }

    /// True when what was folded up to a position, and is not stored, is enough for a checkpoint.
    static func isDue(_ models: any ServedModels, at position: Position) -> Bool {
        position.value - min(models.checkpointed.value, position.value) >= events || models.bufferedBytes >= bytes
    }

    // MARK: What happens

    /// Sets aside what is folded, which is durable or about to be; unless a checkpoint is under way or nothing is new.
    func setAside(at position: Position) {
        guard isIdle, position != checkpointed else { return }
        failure = nil
        let bytes = models.bufferedBytes
        state = .waitingForFlush(SetAside(position: position, bytes: bytes, work: models.setAside(at: position)))
    }

    /// Goes on as far as it can without waiting.
    func advance() {
        switch state {
        case .idle: break
        case .waitingForFlush(let aside):
            if flush.reaches(aside.position, isUrgent: isAskedFor) { store(aside) }
        case .storing(let aside, let job):
            if let result = job.result { ended(aside, result) }
        case .failed(let aside, let untilTick):
            guard tick >= untilTick || isAskedFor else { break }
            state = aside.map { .waitingForFlush($0) } ?? .idle
            advance()
        }
    }

    /// The log could not be flushed; it is tried again.
    func flushFailed(_ error: StorageError) {
        switch state {
        case .waitingForFlush: failed(error)
        case .idle, .storing, .failed: break
        }
    }

    /// A tenth of a second went by.
    func ticked(_ tick: UInt64) { self.tick = tick }

    /// The models forget what is not stored, because the end of it is undone; it is folded again.
    func rollBack() {
        switch state {
        case .waitingForFlush, .failed(.some, _):
            models.fail()
            state = .idle
        // What is being stored is durable: it takes the place of what is stored, and is folded beside it meanwhile.
        case .storing, .failed(nil, _), .idle: break
        }
        models.discard()
    }

    /// Waits for what is being stored.
    func wait() {
        guard case .storing(let aside, let job) = state else { return }
        ended(aside, job.wait())
    }

    /// Stores everything, now that the loop has ended and the log is flushed.
    func end(at position: Position) {
        wait()
        storeNow()
        setAside(at: position)
        storeNow()
    }

    // MARK: Those who wait

    /// A request waits until everything up to a position is stored.
    func await(_ position: Position, _ tag: Tag?, _ connection: Connection) {
        waiters.append(Waiter(connection: connection, tag: tag, position: position))
        // What failed before was not asked for by this one.
        failure = nil
    }

    /// True while somebody waits who was not told of a failure: then none is waited out.
    private var isAskedFor: Bool { !waiters.isEmpty && failure == nil }

    /// The requests that can be answered now, and how.
    func answers() -> [JobAnswer] {
        guard !waiters.isEmpty else { return [] }
        let waiting = waiters
        waiters = []
        var answers: [JobAnswer] = []
        for waiter in waiting {
            guard let reply = reply(to: waiter) else {
                waiters.append(waiter)
                continue
            }
            answers.append(JobAnswer(connection: waiter.connection, tag: waiter.tag, reply: reply))
        }
        return answers
    }

    private func reply(to waiter: Waiter) -> Reply? {
        if waiter.position <= checkpointed {
            return .done(.members([Member("position", .count(checkpointed.value))]))
        }
        return failure.map { .failed(Checkpoints.refusal($0)) }
    }

    private static func refusal(_ error: StorageError) -> Failure {
        let message = "the models were not written: \(error)"
        switch error {
        case .full: return Failure(.full, message)
        case .corrupt, .failed, .held: return Failure(.internal, message)
        }
    }

    // MARK: Storing

    private func store(_ aside: SetAside) {
        failure = nil
        figures.checkpointBegins()
        let work = aside.work
        state = .storing(
            aside,
            BackgroundJob(
                on: background,
                { () throws(StorageError) in
                    try work()
                    return true
                }, whenDone: whenDone))
    }

    /// Stores what is set aside and waits for it.
    private func storeNow() {
        switch state {
        case .waitingForFlush(let aside), .failed(.some(let aside), _): store(aside)
        case .failed(nil, _): state = .idle
        case .idle, .storing: break
        }
        wait()
    }

    private func ended(_ aside: SetAside, _ result: Result<Bool, StorageError>) {
        do throws(StorageError) {
            _ = try result.get()
        } catch {
            state = .failed(aside, untilTick: tick + Checkpoints.retryTicks)
            return failed(error)
        }
        do throws(StorageError) {
            try models.finish()
            count += 1
            figures.checkpointEnded()
            figures.set(.checkpointFailed, false)
            state = .idle
        } catch {
            state = .failed(nil, untilTick: tick + Checkpoints.retryTicks)
            failed(error)
        }
    }

    private func failed(_ error: StorageError) {
        trace.say("checkpoint-failed", ["error": "\(error)", "then": "tried again in a second"])
        figures.set(.checkpointFailed, true)
        failure = error
    }
}

/// A request that waited for work, and what it is answered with.
struct JobAnswer {
    let connection: Connection
    let tag: Tag?
    let reply: Reply
}
