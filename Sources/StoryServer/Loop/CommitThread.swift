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
/// It is woken through a pipe: whoever writes into one is taken by Linux to sleep soon, so that the thread may run on
/// the same processor, where another one would have to be woken first.
///
/// Unchecked: what both threads see is behind the mutex.
final class CommitThread: CommitRunner, @unchecked Sendable {
    private enum Work {
        case nothing
        case running(CommitJob)
        case ended(CommitOutcome)
    }

    private let clock: @Sendable () -> UInt64
    private let whenDone: @Sendable () -> Void
    private var work = Work.nothing
    /// The loop's end of the pipe: a byte for each commit, and its end is the thread's; nil before the first one.
    private var bell: Int32?
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
        change { work in
            guard case .nothing = work else { preconditionFailure("One commit runs at a time.") }
            work = .running(commit)
        }
        if bell == nil { bell = startThread() }
        // Without a thread it is run here; the loop hears of it all the same.
        if !ring() { run() }
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
            case .nothing: return nil
            case .running: pthread_cond_wait(changed, mutex)
            case .ended(let outcome):
                work = .nothing
                return outcome
            }
        }
    }

    /// Lets the thread end once the commit that runs is done.
    func end() {
        _ = wait()
        if let bell { close(bell) }
        bell = nil
    }

    /// The end of the pipe to ring with; nil where there is no thread to be had, or no descriptor.
    private func startThread() -> Int32? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let (heard, rung) = (ends[0], ends[1])
        let isStarted = BackgroundThread.start { [self] in
            while CommitThread.isRung(heard) { run() }
            close(heard)
        }
        guard !isStarted else { return rung }
        for end in ends { close(end) }
        return nil
    }

    /// False where nobody hears it.
    private func ring() -> Bool {
        guard let bell else { return false }
        var byte: UInt8 = 1
        while true {
            let count = write(bell, &byte, 1)
            if count == 1 { return true }
            guard errno == EINTR else { return false }
        }
    }

    /// Waits until the loop rings; false when it never will again.
    private static func isRung(_ bell: Int32) -> Bool {
        var byte: UInt8 = 0
        while true {
            let count = read(bell, &byte, 1)
            if count >= 0 { return count == 1 }
            guard errno == EINTR else { return false }
        }
    }

    private func run() {
        let commit: CommitJob? = change { work in
            guard case .running(let commit) = work else { return nil }
            return commit
        }
        guard let commit else { preconditionFailure("Whoever rings has a commit to run.") }
        let began = clock()
        let result = commit.outcome
        let outcome = CommitOutcome(result: result, nanoseconds: clock() - began)
        change { $0 = .ended(outcome) }
        whenDone()
    }

    @discardableResult
    private func change<Value>(_ body: (inout Work) -> Value) -> Value {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        pthread_cond_broadcast(changed)
        return body(&work)
    }
}
