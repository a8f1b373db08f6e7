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

    /// The commit under way ends.
    package func end() {
        guard let commit = running else { preconditionFailure("No commit is under way.") }
        running = nil
        ended = CommitOutcome(result: commit.outcome, nanoseconds: duration)
    }

    package func start(_ commit: CommitJob) {
        running = commit
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
