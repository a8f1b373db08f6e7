import Glibc
package import StoryCore
import Synchronization

/// Where work goes that is done beside the loop.
package struct BackgroundStarter: Sendable {
    /// Has a piece of work done, on any thread and at any time from now on; false where it never will be.
    package let start: @Sendable (_ body: @escaping @Sendable () -> Void) -> Bool

    package init(start: @escaping @Sendable (_ body: @escaping @Sendable () -> Void) -> Bool) { self.start = start }

    /// Each piece has a thread of its own, at once.
    package static let threads = BackgroundStarter { BackgroundThread.start($0) }

    /// By how much such a thread steps back behind others. The kernel often wakes a thread on the processor where it was,
    /// though another one has nothing to do.
    static let niceness: Int32 = 10

    /// The same for long work beside short work: it leaves the processor to whoever wants it.
    package static let niceThreads = BackgroundStarter { body in
        BackgroundThread.start {
            // On Linux that is of this thread, and of those that it starts.
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
            body()
        }
    }

    /// Each piece has a thread of its own where the system has one to give; else whoever waits for it does it.
    package static let helpers = BackgroundStarter { body in
        _ = BackgroundThread.start(body)
        return true
    }
}

/// A piece of work that is done once: by whoever is the first to run it, beside the loop or while it is waited for.
///
/// What the work holds is let go of before the result can be seen: who waited for it may close what it used.
package final class OnceWork<Value: Sendable>: Sendable {
    private typealias Work = @Sendable () throws(StorageError) -> Value

    private enum State {
        case waiting(Work)
        case running
        case ended(Result<Value, StorageError>)
    }

    private let state: Mutex<State>

    package init(_ work: @escaping @Sendable () throws(StorageError) -> Value) { state = Mutex(.waiting(work)) }

    /// Nil until it is done; then how it ended.
    package var result: Result<Value, StorageError>? {
        state.withLock { if case .ended(let result) = $0 { result } else { nil } }
    }

    /// Does it, unless somebody has begun; false then.
    @discardableResult
    package func run() -> Bool {
        guard let result = resultOfWork() else { return false }
        state.withLock { $0 = .ended(result) }
        return true
    }

    /// Ends it without doing it, unless somebody has begun.
    package func refuse(_ error: StorageError) {
        state.withLock { state in
            if case .waiting = state { state = .ended(.failure(error)) }
        }
    }

    /// Nil where somebody has begun. The work is gone when this returns.
    private func resultOfWork() -> Result<Value, StorageError>? {
        let taken: Work? = state.withLock { state in
            guard case .waiting(let work) = state else { return nil }
            state = .running
            return work
        }
        guard let work = taken else { return nil }
        do throws(StorageError) { return .success(try work()) } catch { return .failure(error) }
    }
}

/// One piece of work beside the loop, for what may be late: the loop asks now and then whether it is done.
package final class BackgroundJob<Value: Sendable>: Sendable {
    private let work: OnceWork<Value>

    /// Starts the work; `whenDone` is called where it is done.
    package init(
        on background: BackgroundStarter, _ work: @escaping @Sendable () throws(StorageError) -> Value,
        whenDone: @escaping @Sendable () -> Void
    ) {
        let once = OnceWork(work)
        self.work = once
        let isStarted = background.start {
            once.run()
            whenDone()
        }
        guard !isStarted else { return }
        once.refuse(.failed("the system has no thread to give; raise the limit of processes"))
        whenDone()
    }

    /// Nil while it runs; then how it ended.
    package var result: Result<Value, StorageError>? { work.result }

    /// Waits until it is done; what nobody has begun is done here.
    package func wait() -> Result<Value, StorageError> {
        work.run()
        while true {
            if let result { return result }
            usleep(200)
        }
    }
}

/// A thread that does one thing and ends.
package final class BackgroundThread: Sendable {
    private let body: @Sendable () -> Void

    private init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    /// False where the system has no thread to give.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(BackgroundThread(body))
        let code = pthread_create(
            &thread, nil,
            { pointer in
                guard let pointer else { return nil }
                Unmanaged<BackgroundThread>.fromOpaque(pointer).takeRetainedValue().body()
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            context.release()
            return false
        }
        pthread_detach(thread)
        return true
    }
}
