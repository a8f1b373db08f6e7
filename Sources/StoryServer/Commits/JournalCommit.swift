import StoryCore
import StoryLog
import StoryStorage

/// The commit into the log's own journal: one at a time, tried again while its outcome is unknown.
final class JournalCommit {
    private let log: any EventLog
    private let runner: any CommitRunner
    private let clock: Clock
    /// The commit in progress; nil when there is none.
    private var job: CommitJob?
    /// True while the outcome of the commit in progress is unknown; `tryAgain` tries it again.
    private var isInDoubt = false
    /// How long the commit in progress took to begin, in nanoseconds.
    private(set) var beginning: UInt64 = 0

    init(_ log: any EventLog, runner: any CommitRunner, clock: Clock) {
        (self.log, self.runner, self.clock) = (log, runner, clock)
    }

    var isRunning: Bool { job != nil }

    /// Begins a commit through a position, which `start` or `run` goes on with.
    ///
    /// - Returns: the last event that it has; nil where there is nothing to commit.
    /// - Throws: as `EventLog.beginCommit`.
    func begin(through position: Position) throws(StorageError) -> Position? {
        let began = clock.steady()
        job = try log.beginCommit(through: position)
        beginning = clock.steady() - began
        return job?.through
    }

    /// Runs the commit in the background.
    func start() { if let job { runner.start(job) } }

    /// Runs the commit on this thread, and returns its outcome; nil where none is in progress.
    func run() -> CommitOutcome? {
        guard let job else { return nil }
        let began = clock.steady()
        return CommitOutcome(end: job.end(), nanoseconds: clock.steady() - began)
    }

    func takeOutcome() -> CommitOutcome? { runner.takeOutcome() }

    func wait() -> CommitOutcome? { runner.wait() }

    /// Tries the commit again whose outcome is unknown.
    func tryAgain() {
        guard isInDoubt, let job else { return }
        isInDoubt = false
        runner.start(job)
    }

    /// Tells the log how the commit ended.
    ///
    /// - Returns: the end; nil where the outcome is unknown: the same entry is tried again.
    func ended(_ outcome: CommitOutcome) -> CommitEnd? {
        guard let end = outcome.end else {
            isInDoubt = true
            return nil
        }
        guard let job else { preconditionFailure("a commit ended that was not begun") }
        self.job = nil
        do throws(StorageError) { try log.finishCommit(job, end) } catch { return .failed(error) }
        return end
    }
}
