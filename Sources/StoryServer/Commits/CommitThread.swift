import Glibc
package import StoryCore
package import StoryLog
import StoryStorage
import Synchronization

/// A runner of commits in the background, one at a time.
package protocol CommitRunner: AnyObject {
    /// Starts a commit, or tries one again whose outcome is unknown; the outcome of the one before must have been taken.
    ///
    /// A try is refused only if no earlier try of the entry has reached the log, nor will.
    func start(_ commit: CommitJob)
    /// Takes the outcome of the commit; nil while it runs, or when there is none.
    func takeOutcome() -> CommitOutcome?
    /// Waits for the running commit and takes its outcome; nil when there is none.
    func wait() -> CommitOutcome?
}

/// The outcome and the duration of a commit.
package struct CommitOutcome: Sendable {
    /// The end of the commit; nil if it is unknown whether its events are in the log. Then the same entry is tried again.
    package let end: CommitEnd?
    /// How long the write and the sync took.
    package let nanoseconds: UInt64

    /// Makes an outcome.
    package init(end: CommitEnd?, nanoseconds: UInt64) {
        self.end = end
        self.nanoseconds = nanoseconds
    }
}

/// The commit thread: it lives as long as the daemon and waits for commits to run.
///
/// It is woken through a pipe: Linux expects that a thread which writes into a pipe sleeps soon, and so may run the
/// commit thread on the same processor, where otherwise it would have to wake another one first.
///
/// Unchecked: the loop alone uses its end of the pipe.
final class CommitThread: CommitRunner, @unchecked Sendable {
    /// The state of the one commit.
    private enum Work {
        case nothing
        case running(CommitJob)
        case ended(CommitOutcome)
    }

    private let clock: @Sendable () -> UInt64
    private let whenDone: @Sendable () -> Void
    private let work = Mutex(Work.nothing)
    /// The loop's end of the pipe: a byte starts a commit, and closing it ends the thread; nil while there is no
    /// thread.
    private var bell: Int32?

    /// Makes a runner; the thread starts with the first commit.
    ///
    /// - Parameters:
    ///   - clock: nanoseconds, never going backwards.
    ///   - whenDone: called on the thread after each commit.
    init(clock: @escaping @Sendable () -> UInt64, whenDone: @escaping @Sendable () -> Void) {
        self.clock = clock
        self.whenDone = whenDone
    }

    func start(_ commit: CommitJob) {
        work.withLock { work in
            guard case .nothing = work else { preconditionFailure("commit started before the last outcome was taken") }
            work = .running(commit)
        }
        if bell == nil { bell = startThread() }
        // Without a thread the commit runs here, and `whenDone` wakes the loop all the same.
        if !ring() { run() }
    }

    func takeOutcome() -> CommitOutcome? {
        work.withLock { work in
            guard case .ended(let outcome) = work else { return nil }
            work = .nothing
            return outcome
        }
    }

    /// Polls, since only the end of the process waits for a commit.
    func wait() -> CommitOutcome? {
        while work.withLock({ if case .nothing = $0 { false } else { true } }) {
            if let outcome = takeOutcome() { return outcome }
            usleep(200)
        }
        return nil
    }

    /// Ends the thread after the running commit.
    func end() {
        _ = wait()
        if let bell { close(bell) }
        bell = nil
    }

    /// Starts the thread; returns the loop's end of the pipe, nil where there is no thread or no descriptor to be had.
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

    /// Wakes the thread; returns false where there is none.
    private func ring() -> Bool {
        guard let bell else { return false }
        var byte: UInt8 = 1
        while true {
            let count = write(bell, &byte, 1)
            if count == 1 { return true }
            guard errno == EINTR else { return false }
        }
    }

    /// Waits for the loop to wake the thread; returns false once the pipe is closed.
    private static func isRung(_ bell: Int32) -> Bool {
        var byte: UInt8 = 0
        while true {
            let count = read(bell, &byte, 1)
            if count >= 0 { return count == 1 }
            guard errno == EINTR else { return false }
        }
    }

    private func run() {
        guard case .running(let commit) = work.withLock(\.self) else {
            preconditionFailure("commit thread woken without a commit")
        }
        let began = clock()
        let end = commit.end()
        let outcome = CommitOutcome(end: end, nanoseconds: clock() - began)
        work.withLock { $0 = .ended(outcome) }
        whenDone()
    }
}
