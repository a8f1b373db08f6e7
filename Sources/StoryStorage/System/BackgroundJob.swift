import Glibc
package import StoryCore
import Synchronization

/// A way to start work beside the loop.
package struct BackgroundStarter: Sendable {
    /// Runs a piece of work on any thread, at any time from now on; false when it will never run.
    package let start: @Sendable (_ body: @escaping @Sendable () -> Void) -> Bool

    /// Creates a starter from a function.
    package init(start: @escaping @Sendable (_ body: @escaping @Sendable () -> Void) -> Bool) { self.start = start }

    /// A starter that runs each piece at once, on a thread of its own.
    package static let threads = BackgroundStarter { BackgroundThread.start($0) }

    /// The nice value of threads for long work, so that they yield to others.
    ///
    /// The kernel often wakes a thread on the processor where it last ran, although another one is idle.
    static let niceness: Int32 = 10

    /// A starter likewise for long work beside short work: its threads yield the processor to others.
    package static let niceThreads = BackgroundStarter { body in
        BackgroundThread.start {
            // On Linux the nice value is of this thread, and of those that it starts.
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
            body()
        }
    }

    /// A starter that runs each piece on a thread of its own; if the system has none, the thread that waits for it runs
    /// it.
    package static let helpers = BackgroundStarter { body in
        _ = BackgroundThread.start(body)
        return true
    }
}

/// A piece of work that runs once, on the first thread that calls `run`: beside the loop, or while it is waited for.
///
/// The closure is released before the result is visible, so that a thread that waited may close the objects that it
/// used.
package final class OnceWork<Value: Sendable>: Sendable {
    /// The closure that makes the value.
    private typealias Work = @Sendable () throws(StorageError) -> Value

    /// The state of the work.
    private enum State {
        case waiting(Work)
        case running
        case ended(Result<Value, StorageError>)
    }

    private let state: Mutex<State>

    /// Creates work that has not begun.
    package init(_ work: @escaping @Sendable () throws(StorageError) -> Value) { state = Mutex(.waiting(work)) }

    /// The result of the work; nil until it is done.
    package var result: Result<Value, StorageError>? {
        state.withLock { if case .ended(let result) = $0 { result } else { nil } }
    }

    /// Runs the work; false when another thread has begun it.
    @discardableResult
    package func run() -> Bool {
        guard let result = resultOfWork() else { return false }
        state.withLock { $0 = .ended(result) }
        return true
    }

    /// Ends the work with an error, unless a thread has begun it.
    package func refuse(_ error: StorageError) {
        state.withLock { state in
            if case .waiting = state { state = .ended(.failure(error)) }
        }
    }

    /// Runs the work; nil when another thread has begun it. The closure is released on return.
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

/// A piece of work beside the loop, which polls for its result.
package final class BackgroundJob<Value: Sendable>: Sendable {
    private let work: OnceWork<Value>

    /// Starts the work; `whenDone` is called on the thread that ran it.
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

    /// The result of the work; nil while it runs.
    package var result: Result<Value, StorageError>? { work.result }

    /// Waits for the result; work that no thread has begun runs on this one.
    package func wait() -> Result<Value, StorageError> {
        work.run()
        while true {
            if let result { return result }
            usleep(200)
        }
    }
}

/// A thread that runs one closure and ends.
package final class BackgroundThread: Sendable {
    private let body: @Sendable () -> Void

    private init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    /// Starts a thread; false when the system has none.
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
