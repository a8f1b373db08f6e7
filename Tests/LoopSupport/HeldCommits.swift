package import StoryCore
package import StoryLog
package import StoryServer

/// Commits beside the loop, without a thread: they end at once, or when the test says so.
package final class HeldCommits: CommitRunner {
    private var running: CommitJob?
    private var ended: CommitOutcome?

    /// What the loop is told that each one took, in nanoseconds.
    package var duration: UInt64
    /// True when a commit ends when the test says so.
    package var isHeld: Bool
    /// Called after each commit that ends at once.
    package var whenDone: () -> Void = {}

    package init(isHeld: Bool) {
        self.isHeld = isHeld
        duration = isHeld ? LoopBench.slowSync : LoopBench.quickSync
    }

    /// True while a commit is under way.
    package var isRunning: Bool { running != nil }
    /// True while the outcome of a commit is unknown, which was not tried again since.
    package private(set) var isInDoubt = false
    /// True while the entry under way is in the log by a try whose outcome is unknown: no later try refuses it.
    private var isWritten = false
    /// The bytes of each entry that was started, once for each try.
    package private(set) var entries: [[UInt8]] = []

    /// The commit under way ends.
    package func end() { end { $0.end() } }

    /// The commit under way ends otherwise than the disk says.
    package func end(with end: CommitEnd) { self.end { _ in end } }

    /// Nobody knows how the commit under way ended.
    ///
    /// - Parameter isDone: whether it took place; one that fails is known to have failed.
    package func endInDoubt(isDone: Bool) {
        end { commit in
            guard isDone else { return nil }
            let end = commit.end()
            guard end == .acknowledged else { return end }
            isWritten = true
            return nil
        }
    }

    private func end(_ body: (CommitJob) -> CommitEnd?) {
        guard let commit = running else { preconditionFailure("No commit is under way.") }
        running = nil
        var end = body(commit)
        switch end {
        case .acknowledged: isWritten = false
        case .refused: if isWritten { end = nil }
        case .failed, nil: break
        }
        isInDoubt = end == nil
        ended = CommitOutcome(end: end, nanoseconds: duration)
    }

    package func start(_ commit: CommitJob) {
        running = commit
        isInDoubt = false
        entries.append(commit.records.flatMap { Array($0.run.bytes) })
        guard !isHeld else { return }
        end()
        whenDone()
    }

    package func takeOutcome() -> CommitOutcome? {
        defer { ended = nil }
        return ended
    }

    package func wait() -> CommitOutcome? {
        if running != nil { end() }
        return takeOutcome()
    }
}
