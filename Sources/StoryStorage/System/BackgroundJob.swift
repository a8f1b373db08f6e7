import Glibc
package import StoryCore
import Synchronization

/// One piece of work on a thread of its own, for what may be late: the loop asks now and then whether it is done.
package final class BackgroundJob<Value: Sendable>: Sendable {
    private let outcome = Mutex<Result<Value, StorageError>?>(nil)

    /// Starts the work; `whenDone` is called on its thread.
    package init(
        _ work: @escaping @Sendable () throws(StorageError) -> Value, whenDone: @escaping @Sendable () -> Void
    ) {
        let isStarted = BackgroundThread.start {
            let result: Result<Value, StorageError>
            do throws(StorageError) { result = .success(try work()) } catch { result = .failure(error) }
            self.outcome.withLock { $0 = result }
            whenDone()
        }
        guard !isStarted else { return }
        outcome.withLock { $0 = .failure(.failed("the system has no thread to give; raise the limit of processes")) }
        whenDone()
    }

    /// Nil while it runs; then how it ended.
    package var result: Result<Value, StorageError>? { outcome.withLock { $0 } }

    /// Waits until it is done.
    package func wait() -> Result<Value, StorageError> {
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
