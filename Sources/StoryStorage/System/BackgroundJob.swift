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
package final class BackgroundJob<Value: Sendable>: Sendable {
    /// The closure that makes the value.
    package typealias Work = @Sendable () throws(StorageError) -> Value

    /// The state of the work.
    private enum State {
        case waiting(Work)
        case running
        case ended(Result<Value, StorageError>)
    }

    private let state: Mutex<State>
    /// A semaphore that is posted once the work has ended; a thread that took it posts it for the next one.
    private nonisolated(unsafe) let ended = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    /// Creates work that has not begun.
    package init(_ work: @escaping Work) {
        state = Mutex(.waiting(work))
        sem_init(ended, 0, 0)
    }

    deinit {
        sem_destroy(ended)
        ended.deallocate()
    }

    /// Creates work and starts it beside the loop; it ends with an error where no thread is to be had.
    ///
    /// - Parameters:
    ///   - background: the starter of the thread.
    ///   - work: the closure that makes the value.
    ///   - whenDone: called on the thread that ran the work, after it.
    package convenience init(
        on background: BackgroundStarter, _ work: @escaping Work, whenDone: @escaping @Sendable () -> Void
    ) {
        self.init(work)
        guard !start(on: background, whenDone: whenDone) else { return }
        end(.failure(.failed("the system has no thread to give; raise the limit of processes")))
        whenDone()
    }

    /// Starts the work beside the loop, which calls `whenDone` after it; returns false where no thread is to be had.
    package func start(on background: BackgroundStarter, whenDone: @escaping @Sendable () -> Void) -> Bool {
        background.start {
            self.run()
            whenDone()
        }
    }

    /// The result of the work; nil until it has ended.
    package var result: Result<Value, StorageError>? {
        state.withLock { if case .ended(let result) = $0 { result } else { nil } }
    }

    /// Runs the work on this thread, unless a thread has begun it.
    package func run() { if let result = resultOfWork() { end(result) } }

    /// Waits for the result; work that no thread has begun runs on this one.
    package func wait() -> Result<Value, StorageError> {
        run()
        while true {
            if let result { return result }
            while sem_wait(ended) != 0 {}
            sem_post(ended)
        }
    }

    private func end(_ result: Result<Value, StorageError>) {
        state.withLock { $0 = .ended(result) }
        sem_post(ended)
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
