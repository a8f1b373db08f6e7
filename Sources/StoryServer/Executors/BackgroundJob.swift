import Glibc
import StoryCore
import Synchronization

/// One piece of work on a thread of its own, for what may be late: the loop asks now and then whether it is done.
final class BackgroundJob: Sendable {
    private struct State {
        var isDone = false
        var error: StorageError?
    }

    private let state = Mutex(State())
    private let work: @Sendable () throws(StorageError) -> Void
    private let whenDone: @Sendable () -> Void

    /// `whenDone` is called on the job's thread.
    init(_ work: @escaping @Sendable () throws(StorageError) -> Void, whenDone: @escaping @Sendable () -> Void) {
        self.work = work
        self.whenDone = whenDone
    }

    /// Nil while it runs; then how it ended.
    var result: Result<Void, StorageError>? {
        state.withLock { state in
            guard state.isDone else { return nil }
            return state.error.map { .failure($0) } ?? .success(())
        }
    }

    /// Starts the thread; where the system has none to give, the work is done here and now.
    func start() {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self)
        let code = pthread_create(&thread, nil, { pointer in
            guard let pointer else { return nil }
            Unmanaged<BackgroundJob>.fromOpaque(pointer).takeRetainedValue().run()
            return nil
        }, context.toOpaque())
        guard code == 0 else {
            context.release()
            return run()
        }
        pthread_detach(thread)
    }

    /// Waits until it is done.
    func wait() -> Result<Void, StorageError> {
        while true {
            if let result { return result }
            usleep(200)
        }
    }

    private func run() {
        var failure: StorageError?
        do throws(StorageError) { try work() } catch { failure = error }
        state.withLock {
            $0.isDone = true
            $0.error = failure
        }
        whenDone()
    }
}
