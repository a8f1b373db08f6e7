import StoryCore
import StoryEngine
import StoryLog

/// A way in which the events of a turn are acknowledged: by a commit of the own journal, or as an entry of a log that
/// several nodes have.
///
/// The consequences of a commit come back as values, which the driver of the commit cycle carries out.
protocol Committer: AnyObject {
    /// True where acknowledged events are stored by later commits of the journal.
    var storesBeside: Bool { get }
    /// The bytes of events at which a commit is full.
    var bytesPerCommit: Int { get }
    /// True while a commit is under way.
    var isUnderWay: Bool { get }
    /// True while the next commit can begin, once none is under way.
    var isOpen: Bool { get }
    /// True while writes have to wait.
    var isFull: Bool { get }
    /// True while writes are refused, since they have waited in vain.
    var refusesWrites: Bool { get }
    /// True where no more acknowledged events may be in memory alone while the own disk is full.
    var holdsMuch: Bool { get }

    /// Returns the position after which events wait for a commit.
    func durable(acknowledged: Position) -> Position
    /// Returns the last event that the journal must have room for; nil where it needs none now.
    func lastToStore(head: Position, acknowledged: Position, isDiskFull: Bool) -> Position?
    /// Begins a commit of the events that wait for one.
    func begin(_ events: CommitOfTurn) -> CommitStep
    /// Goes on with the commit that has begun, beside the loop.
    func start()
    /// Takes the end of a commit of the journal.
    func journalEnded(_ end: CommitEnd) -> JournalStep
    /// Takes note of an entry from elsewhere; returns true where it is stored beside.
    func arrived(bytes: Int) -> Bool
    /// Begins to store acknowledged events, unless that is under way or done with each commit.
    ///
    /// - Throws: as `EventLog.beginCommit`.
    func storeBeside(through acknowledged: Position) throws(StorageError)
    /// Counts a tick of 0.1 s.
    func ticked()
}

/// The events that a commit is to have.
struct CommitOfTurn: Equatable {
    /// The last of them.
    let head: Position
    /// The event before the first one.
    let acknowledged: Position
    let bytes: Int
    /// True where the loop waits for the commit.
    let isInline: Bool
}

/// The outcome of the begin of a commit.
enum CommitStep {
    /// No event waits for one.
    case nothing
    /// It could not begin.
    case ended(CommitEnd)
    /// It has run.
    case ran(CommitOutcome)
    /// It is to go on beside the loop, with the events through a position.
    case begun(through: Position)
}

/// The meaning of the end of a commit of the journal.
enum JournalStep: Equatable {
    /// The turn's commit has this end.
    case acknowledges
    /// Events that were acknowledged before are stored.
    case stored
    /// They are not, and are stored later.
    case notStored(Failure)
    case failed(StorageError)
}

/// The commits of a store of its own: a commit of the journal acknowledges the events.
final class JournalCommitter: Committer {
    private let log: any EventLog
    private let journal: JournalCommit
    let bytesPerCommit: Int

    init(_ log: any EventLog, _ journal: JournalCommit, bytesPerCommit: Int) {
        (self.log, self.journal, self.bytesPerCommit) = (log, journal, bytesPerCommit)
    }

    var storesBeside: Bool { false }
    var isUnderWay: Bool { journal.isRunning }
    var isOpen: Bool { true }
    var isFull: Bool { false }
    var refusesWrites: Bool { false }
    var holdsMuch: Bool { true }

    func durable(acknowledged: Position) -> Position { log.committed }

    func lastToStore(head: Position, acknowledged: Position, isDiskFull: Bool) -> Position? { head }

    func begin(_ events: CommitOfTurn) -> CommitStep {
        do throws(StorageError) {
            guard let last = try journal.begin(through: events.head) else { return .nothing }
            if events.isInline, let outcome = journal.run() { return .ran(outcome) }
            return .begun(through: last)
        } catch {
            return .ended(CommitEnd(error))
        }
    }

    func start() { journal.start() }
    func journalEnded(_ end: CommitEnd) -> JournalStep { .acknowledges }
    func arrived(bytes: Int) -> Bool { false }
    func storeBeside(through acknowledged: Position) {}
    func ticked() {}
}
