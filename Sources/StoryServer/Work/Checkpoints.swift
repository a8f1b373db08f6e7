import StoryCore
import StoryModels
import StoryStorage

/// Stores the models beside the loop, one checkpoint at a time, and knows who waits for one.
///
/// It begins one where it is told that everything folded is durable and flushed; it never finds that out itself.
final class Checkpoints {
    /// So many events are folded before a checkpoint is due.
    static let events: UInt64 = 20_000
    /// Or so many bytes wait in memory.
    static let bytes = 12 << 20
    /// More than this never waits: the loop stands until the checkpoint under way is done, and where it fails, writes
    /// are refused.
    static let maxBytes = 28 << 20
    /// How many tenths of a second go by before one that failed is tried again.
    static let retryTicks: UInt64 = 10

    /// What is under way.
    private enum State {
        case idle
        case running(BackgroundJob<Bool>)
        /// The last one failed, and the next one is tried at this tick.
        case failed(untilTick: UInt64)
    }

    /// Somebody who asked for everything up to a position to be stored.
    private struct Waiter {
        let connection: Connection
        let tag: Tag?
        let position: Position
    }

    private let models: any ServedModels
    private let trace: Trace
    private let whenDone: @Sendable () -> Void
    private var state = State.idle
    private var waiters: [Waiter] = []
    private var tick: UInt64 = 0
    /// Why the last checkpoint was not stored; nil when it was.
    private(set) var failure: StorageError?
    /// How many were stored.
    private(set) var count: UInt64 = 0

    init(_ models: any ServedModels, _ trace: Trace, whenDone: @escaping @Sendable () -> Void) {
        self.models = models
        self.trace = trace
        self.whenDone = whenDone
    }

    var checkpointed: Position { models.checkpointed }

    var isRunning: Bool {
        switch state {
        case .running: true
        case .idle, .failed: false
        }
    }

    /// True when memory holds more than it may, and no checkpoint is under way that would change that.
    var isMemoryFull: Bool { !isRunning && models.bufferedBytes >= Checkpoints.maxBytes }

    /// True when one is to begin as soon as everything that is folded is durable.
    func isDue(at position: Position) -> Bool {
        switch state {
        case .running: return false
        // Those who wait are told of a failure first; one who asks after it makes the next try begin at once.
        case .failed(let untilTick) where tick < untilTick && (waiters.isEmpty || failure != nil): return false
        case .idle, .failed: break
        }
        return !waiters.isEmpty || position.value - min(checkpointed.value, position.value) >= Checkpoints.events
            || models.bufferedBytes >= Checkpoints.bytes
    }

    /// A tenth of a second went by.
    func ticked(_ tick: UInt64) { self.tick = tick }

    /// Begins one of what is folded, which is all durable and flushed; unless one is under way or nothing is new.
    func begin(at position: Position) {
        guard !isRunning, position != checkpointed else { return }
        failure = nil
        let store = models.setAside(at: position)
        state = .running(
            BackgroundJob(
                { () throws(StorageError) in
                    try store()
                    return true
                }, whenDone: whenDone))
    }

    /// None can begin, for this reason.
    func refused(_ error: StorageError) { failed(error) }

    /// Looks whether the one under way is done.
    func poll() {
        guard case .running(let job) = state, let result = job.result else { return }
        ended(result)
    }

    /// Waits for the one under way.
    func wait() {
        guard case .running(let job) = state else { return }
        ended(job.wait())
    }

    /// Keeps memory bounded when folding outruns the disk.
    func holdBack() {
        if isRunning, models.bufferedBytes >= Checkpoints.maxBytes { wait() }
    }

    /// A request waits until everything up to a position is stored.
    func await(_ position: Position, _ tag: Tag?, _ connection: Connection) {
        waiters.append(Waiter(connection: connection, tag: tag, position: position))
        // What failed before was not asked for by this one.
        failure = nil
    }

    /// The requests that can be answered now, and how.
    func answers() -> [JobAnswer] {
        guard !waiters.isEmpty, !isRunning else { return [] }
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

    private func ended(_ result: Result<Bool, StorageError>) {
        do throws(StorageError) {
            _ = try result.get()
        } catch {
            models.fail()
            return failed(error)
        }
        do throws(StorageError) {
            try models.finish()
            count += 1
            state = .idle
        } catch {
            failed(error)
        }
    }

    private func failed(_ error: StorageError) {
        trace.say("checkpoint-failed", ["error": "\(error)", "then": "tried again in a second"])
        failure = error
        state = .failed(untilTick: tick + Checkpoints.retryTicks)
    }
}

/// A request that waited for work, and what it is answered with.
struct JobAnswer {
    let connection: Connection
    let tag: Tag?
    let reply: Reply
}
