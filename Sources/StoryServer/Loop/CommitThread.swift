import Glibc
package import StoryCore
package import StoryLog
import StoryStorage

/// Runs commits beside the loop, one at a time.
package protocol CommitRunner: AnyObject {
    /// Begins to run a commit; nothing else is begun before its outcome was taken.
    func start(_ commit: CommitJob)
    /// Takes how the commit ended; nil while it runs, or when there is none.
    func takeOutcome() -> CommitOutcome?
    /// Waits for the commit that runs and takes how it ended; nil when there is none.
    func wait() -> CommitOutcome?
}

/// How a commit ended, and how long it took.
package struct CommitOutcome: Sendable {
    package let result: Result<Void, StorageError>
    package let nanoseconds: UInt64

    package init(result: Result<Void, StorageError>, nanoseconds: UInt64) {
        self.result = result
        self.nanoseconds = nanoseconds
    }
}

/// One thread that lives as long as the daemon and waits for commits to run.
///
/// Unchecked: what both threads see is behind the mutex.
final class CommitThread: CommitRunner, @unchecked Sendable {
    private enum Work {
        case nothing
        case waiting(CommitJob)
        case running
        case ended(CommitOutcome)
        case over
    }

    private let clock: @Sendable () -> UInt64
    private let whenDone: @Sendable () -> Void
    private var work = Work.nothing
    private var isStarted = false
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    /// - Parameters:
    ///   - clock: nanoseconds, never going backwards.
    ///   - whenDone: called on the thread after each commit.
    init(clock: @escaping @Sendable () -> UInt64, whenDone: @escaping @Sendable () -> Void) {
        self.clock = clock
        self.whenDone = whenDone
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(changed, nil)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    func start(_ commit: CommitJob) {
        if !isStarted { isStarted = BackgroundThread.start { self.serve() } }
        guard isStarted else {
            // Without a thread it is run here; the loop hears of it all the same.
            change { $0 = .ended(outcome(of: commit)) }
            return whenDone()
        }
        change { work in
            guard case .nothing = work else { preconditionFailure("One commit runs at a time.") }
            work = .waiting(commit)
        }
    }

    func takeOutcome() -> CommitOutcome? {
        change { work in
            guard case .ended(let outcome) = work else { return nil }
            work = .nothing
            return outcome
        }
    }

    func wait() -> CommitOutcome? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            switch work {
            case .nothing, .over: return nil
            case .waiting, .running: pthread_cond_wait(changed, mutex)
            case .ended(let outcome):
                work = .nothing
                return outcome
            }
        }
    }

    /// Lets the thread end once the commit that runs is done.
    func end() {
        _ = wait()
        change { $0 = .over }
    }

    private func serve() {
        while let commit = next() {
            let outcome = outcome(of: commit)
            change { $0 = .ended(outcome) }
            whenDone()
        }
    }

    private func next() -> CommitJob? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            switch work {
            case .nothing, .running, .ended: pthread_cond_wait(changed, mutex)
            case .waiting(let commit):
                work = .running
                return commit
            case .over: return nil
            }
        }
    }

    private func outcome(of commit: CommitJob) -> CommitOutcome {
        let began = clock()
        let result = commit.outcome
        return CommitOutcome(result: result, nanoseconds: clock() - began)
    }

    @discardableResult
    private func change<Value>(_ body: (inout Work) -> Value) -> Value {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        pthread_cond_broadcast(changed)
        return body(&work)
    }
}
