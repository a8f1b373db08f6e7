import StoryCluster
import StoryCore
import StoryEngine
import StoryLog
import StoryStorage

/// The commits of a node: each is an entry that the ordering service takes. The own journal is written beside the loop,
/// where each sync has all entries that came meanwhile.
final class EntryCommitter: Committer {
    /// The JSON of one entry's events, in bytes, at which it is full. With the heads of its records it is below the size
    /// from which on an entry is put in parts, which takes another call to the ordering service.
    private static let bytesPerEntry = EntryHead.bytesOfPart / 4 * 3

    /// An entry that was handed to the ordering service.
    struct UnderWay: Equatable {
        /// The bytes of its events.
        let bytes: Int
        /// When it was handed over, in nanoseconds of the steady clock.
        let began: UInt64
    }

    private let log: any EventLog
    private let journal: JournalCommit
    private let clock: Clock
    private let effects: Effects
    /// The bytes of acknowledged events at which writes wait for the own journal.
    private let mostUnstored: Int
    /// The bytes of acknowledged events at which no entry is taken while the own disk is full.
    private let mostHeld: Int
    /// The bytes of acknowledged events that no commit of the journal has begun with.
    private var unstored = 0
    /// The bytes of the events of the commit of the journal that is under way.
    private var storing = 0
    private var underWay: UnderWay?
    /// The entry that is to be handed over.
    private var next: (head: EntryHead, records: [UInt8])?
    /// True while this node may write entries.
    var mayWrite = false
    /// True while the ordering service has more entries than it should keep.
    var isTailFull = false
    /// The format of the records of the next entry.
    var format = RecordFormats.own.newest

    /// How long writes wait for the ordering service to have fewer entries, in ticks of 0.1 s.
    private let patience: UInt64
    /// The ticks for which it has had too many.
    private var ticksFull: UInt64 = 0

    init(
        _ log: any EventLog, _ journal: JournalCommit, clock: Clock, effects: Effects, _ limits: Limits,
        patience: UInt64
    ) {
        (self.log, self.journal, self.clock, self.effects) = (log, journal, clock, effects)
        (mostUnstored, mostHeld) = (limits.commit, limits.unstored)
        self.patience = patience
    }

    var storesBeside: Bool { true }
    var bytesPerCommit: Int { EntryCommitter.bytesPerEntry }
    /// True while an entry is with the ordering service.
    var isUnderWay: Bool { underWay != nil }
    var isOpen: Bool { underWay == nil && mayWrite }
    var holdsMuch: Bool { unstored + storing >= mostHeld }
    var isFull: Bool { unstored >= mostUnstored || isTailFull && !refusesWrites }
    /// True while writes are refused, since they have waited in vain for the ordering service to have fewer entries.
    var refusesWrites: Bool { ticksFull >= patience }

    func ticked() { ticksFull = isTailFull ? ticksFull + 1 : 0 }

    // MARK: Entries of this node

    func durable(acknowledged: Position) -> Position { acknowledged }

    /// Makes an entry of the events that were decided here.
    func begin(_ events: CommitOfTurn) -> CommitStep {
        do throws(StorageError) {
            next = try EntryRecords(log: log).entry(after: events.acknowledged, format: format)
        } catch {
            return .ended(.failed(error))
        }
        underWay = UnderWay(bytes: events.bytes, began: clock.steady())
        return .begun(through: events.head)
    }

    /// Has the entry handed over.
    func start() {
        if let next { effects.add(.entryReady(next.head, next.records)) }
        next = nil
    }

    /// Takes the entry that the ordering service has answered for; nil where none is with it.
    func takeUnderWay() -> UnderWay? { underWay.take() }

    /// Counts the bytes of an entry that is acknowledged among those that are to be stored.
    func acknowledged(bytes: Int) { unstored += bytes }

    // MARK: Storing

    /// A node whose disk is full stores nothing for a while.
    func lastToStore(head: Position, acknowledged: Position, isDiskFull: Bool) -> Position? {
        isDiskFull ? nil : acknowledged
    }

    func arrived(bytes: Int) -> Bool {
        unstored += bytes
        return true
    }

    func storeBeside(through acknowledged: Position) throws(StorageError) {
        guard !journal.isRunning, log.committed < acknowledged,
            try journal.begin(through: acknowledged) != nil
        else { return }
        (storing, unstored) = (unstored, 0)
        journal.start()
    }

    /// Takes the end of a commit of the journal. Its events are acknowledged, so none is undone: they are stored once there
    /// is room.
    func journalEnded(_ end: CommitEnd) -> JournalStep {
        defer { storing = 0 }
        switch end {
        case .acknowledged: return .stored
        case .refused(let failure):
            unstored += storing
            return .notStored(failure)
        case .failed(let error): return .failed(error)
        }
    }
}

extension CommitEnd {
    /// Reads the end of an entry.
    init(_ end: WriteEnd) {
        switch end {
        case .committed: self = .acknowledged
        case .full: self = .refused(.etcdFull)
        case .refused(let reason):
            self = .refused(
                Failure(.unavailable, "etcd refuses this: \(reason); nothing was written", .outcome(.none)))
        case .superseded: self = .refused(.superseded)
        case .unknown: self = .refused(.outcomeUnknown)
        }
    }
}

extension Failure {
    /// The failure of a write that etcd has no room for.
    static let etcdFull = Failure(.full, "etcd is full; nothing was written")
    /// The failure of a write of which nothing is in the log, nor will be, since this node does not lead.
    static let superseded = Failure(
        .unavailable, "this node leads the log no more; nothing was written: try again later", .outcome(.none))
    /// The failure of a write that may be in the log, or get there.
    static let outcomeUnknown = Failure(
        .unavailable, "it is not known whether this was written: look before you send it again", .outcome(.unknown))
    /// The same of a write with a key, which is written once however often it is sent.
    static let outcomeOfKeyUnknown = Failure(
        .unavailable, "it is not known whether this was written: send it again with its key", .outcome(.unknown),
        retry: .same)
    /// The failure of a write that no node has taken in time.
    static let leaderless = Failure(
        .unavailable, "no node leads the log that this one can write through; nothing was written: try again later",
        .outcome(.none))
}
