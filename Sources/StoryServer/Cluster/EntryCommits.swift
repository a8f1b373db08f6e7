import StoryCluster
import StoryCore
import StoryEngine
import StoryLog
import StoryStorage

/// The commits of a node: each is an entry that the engine of the log takes. The own journal is written beside the loop,
/// where each sync has all entries that came meanwhile.
final class EntryCommits {
    /// The JSON of one entry's events, in bytes, at which it is full. With the heads of its records it is below the size
    /// from which on an entry is put in parts, which takes another call to the engine.
    static let bytesPerEntry = EntryHead.bytesOfPart / 4 * 3

    /// An entry that was handed to the engine.
    private struct UnderWay {
        let through: Position
        let bytes: Int
        let began: UInt64
    }

    /// The bytes of acknowledged events at which writes wait for the own journal.
    private let mostUnstored: Int
    /// The bytes of acknowledged events at which no entry is taken while the own disk is full.
    private let mostHeld: Int
    /// The bytes of acknowledged events that no commit of the journal has begun with.
    private var unstored = 0
    /// The bytes of the events of the commit of the journal that is under way.
    private var storing = 0
    private var underWay: UnderWay?
    /// The driver whose commits these are.
    weak var driver: CommitDriver?
    /// True while an entry can be handed over.
    var canWrite: () -> Bool = { false }
    /// True while the engine has more entries than it should keep.
    var isTailFull = false
    /// The format of the records of the next entry.
    var format: () -> UInt8 = { RecordFormats.own.newest }
    /// Hands an entry over.
    var handOver: (EntryHead, [UInt8]) -> Void = { _, _ in }
    /// Notes that events are stored in the own journal.
    var whenStored: (Position) -> Void = { _ in }

    /// How long writes wait for the engine to have fewer entries, in ticks of 0.1 s.
    private let patience: UInt64
    /// The ticks for which it has had too many.
    private var ticksFull: UInt64 = 0

    init(mostUnstored: Int, mostHeld: Int, patience seconds: Int) {
        (self.mostUnstored, self.mostHeld) = (mostUnstored, mostHeld)
        patience = UInt64(clamping: seconds) * Housekeeping.ticksPerSecond
    }

    /// True while an entry is with the engine.
    var isUnderWay: Bool { underWay != nil }
    /// True while the next entry can be handed over.
    var isOpen: Bool { underWay == nil && canWrite() }
    /// True once as many events are in memory alone as a node may hold while its disk is full.
    var holdsMuch: Bool { unstored + storing >= mostHeld }
    /// True while writes have to wait.
    var isFull: Bool { unstored >= mostUnstored || isTailFull && !refusesWrites }
    /// True while writes are refused, since they have waited in vain for the engine to have fewer entries.
    var refusesWrites: Bool { ticksFull >= patience }

    /// Counts a tick of 0.1 s.
    func ticked() { ticksFull = isTailFull ? ticksFull + 1 : 0 }

    // MARK: Own entries

    /// Hands the events that were decided here to the engine, as one entry.
    func write() {
        guard let driver else { return }
        driver.freezeIfDue(at: driver.head)
        let (head, records): (EntryHead, [UInt8])
        do throws(StorageError) {
            (head, records) = try EntryRecords(log: driver.log).entry(after: driver.acknowledged, format: format())
        } catch {
            return driver.fail(error)
        }
        underWay = UnderWay(through: head.last, bytes: driver.entry.bytes, began: driver.clock.steady())
        driver.entry.beginNext()
        handOver(head, records)
        driver.perform(driver.turn.commitDelayed())
    }

    /// Takes the end of the entry that was handed over.
    func ended(_ end: CommitEnd) {
        guard let driver, let entry = underWay else { return }
        underWay = nil
        let (before, nanoseconds) = (driver.acknowledged, driver.clock.steady() - entry.began)
        driver.policy.commitEnded(nanoseconds: nanoseconds)
        driver.perform(driver.turn.commitEnded(end))
        guard driver.acknowledged > before else { return }
        unstored += entry.bytes
        driver.figures.committed(events: driver.acknowledged.value - before.value, nanoseconds: nanoseconds)
        driver.policy.workerCommitEnded(
            events: driver.head.value - before.value, nanoseconds: nanoseconds, at: driver.clock.steady())
    }

    /// Notes that another node may lead: events that were decided here and not handed over are undone.
    func leadLost() {
        guard let driver else { return }
        driver.perform(driver.turn.leadLost(.superseded))
    }

    // MARK: Storing

    /// Counts an entry from elsewhere among those that are to be stored.
    func arrived() {
        guard let driver else { return }
        unstored += driver.entry.bytes
        driver.entry.beginNext()
    }

    /// Begins to store the entries that are acknowledged, unless that is under way.
    ///
    /// - Parameter isLast: whether the process ends: a disk, or an engine, that was full a moment ago is no reason to wait.
    func store(isLast: Bool = false) {
        guard let driver, driver.stopReason == nil, !driver.journal.isRunning, !driver.isWaitingForFlush,
            isLast || !driver.refusals.isDiskFull, driver.log.committed < driver.acknowledged
        else { return }
        do throws(StorageError) {
            guard try driver.journal.begin(through: driver.acknowledged) != nil else { return }
            (storing, unstored) = (unstored, 0)
            driver.journal.start()
        } catch {
            refused(error)
        }
    }

    /// Takes the end of a commit of entries into the journal.
    func stored(_ end: CommitEnd) {
        defer { storing = 0 }
        switch end {
        case .acknowledged: whenStored(driver?.log.committed ?? .zero)
        // They are acknowledged, so none is undone: they are stored once there is room.
        case .refused(let failure):
            unstored += storing
            driver?.pause(failure)
        case .failed(let error): driver?.fail(error)
        }
    }

    /// Notes that acknowledged entries cannot be stored now.
    func refused(_ error: StorageError) {
        guard let failure = error.refusal else {
            driver?.fail(error)
            return
        }
        driver?.pause(failure)
    }
}

extension CommitEnd {
    /// Reads the end of an entry.
    init(_ end: WriteEnd) {
        switch end {
        case .committed: self = .acknowledged
        case .full: self = .refused(Failure(.full, "the engine of the log is full; nothing was written"))
        case .refused(let reason):
            self = .refused(
                Failure(
                    .unavailable, "the engine of the log refuses this: \(reason); nothing was written", .outcome(.none))
            )
        case .superseded: self = .refused(.superseded)
        case .unknown: self = .refused(.outcomeUnknown)
        }
    }
}

extension Failure {
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
