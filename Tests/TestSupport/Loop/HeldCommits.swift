package import StoryLog
package import StoryServer

/// Commits that end when the test says so.
package final class HeldCommits: CommitRunner {
    private var running: CommitJob?
    private var ended: CommitOutcome?

    /// What the loop is told that each one took, in nanoseconds: as long as before, so that the next one goes beside
    /// the loop, too.
    package var duration = LoopBench.slowSync

    package init() {}

    /// True while a commit is under way.
    package var isRunning: Bool { running != nil }

    /// The commit under way ends.
    package func end() {
        guard let commit = running else { preconditionFailure("No commit is under way.") }
        running = nil
        ended = CommitOutcome(result: commit.outcome, nanoseconds: duration)
    }

    package func start(_ commit: CommitJob) { running = commit }

    package func takeOutcome() -> CommitOutcome? {
        defer { ended = nil }
        return ended
    }

    package func wait() -> CommitOutcome? {
        if running != nil { end() }
        return takeOutcome()
    }
}
