import StoryCore
import StoryEngine
import StoryFold
import StoryLog

/// The long folds: one at a time, a step of it a turn.
///
/// Events whose fold into the declared models is short, at most, are folded as they are appended. All others are folded
/// before that: the write, or the entry from elsewhere, waits until its fold is ready, and is then handled again.
final class LongFolds {
    /// The outcome of a look at a write.
    enum Look {
        /// It can be handled; of a long fold, at the time that the events were folded with.
        case handle(at: Instant?)
        /// It waits for its fold; it is the next line again.
        case mustWait
        /// It waits until the writes that waited for the fold before have had their turn.
        case mustRest
        case refused(Failure)
    }

    /// The fold under way.
    private struct UnderWay {
        let fold: LongFold
        /// The connection whose write it is; nil for an entry from elsewhere.
        let owner: Connection?
        /// The bytes of the entry.
        var entry: [UInt8] = []
        /// When it was ready, in nanoseconds of the steady clock; nil before that.
        var readySince: UInt64?
    }

    /// How long a write has time to be handled once its fold is ready, in nanoseconds: its client may read no replies, and
    /// others wait.
    private static let patience: UInt64 = 1_000_000_000
    /// The turns from the end of a fold to the next one: that in which it ended, and that of the writes that waited for it.
    private static let turnsOfRest = 2

    private let log: any EventLog
    private let feed: ChangeFeed
    private let limits: Limits
    private let served: ServedDefinitions
    /// A reader that the fold under way alone uses.
    private let events: any EventReading
    private let isFollowed: () -> Bool
    private let clock: () -> UInt64
    private var underWay: UnderWay? {
        didSet { if oldValue != nil, underWay == nil { rest = LongFolds.turnsOfRest } }
    }
    /// The turns in which no fold of a write begins.
    private var rest = 0
    /// The connection whose fold has ended in a step, or was given up.
    private var ended: Connection?
    /// The share of a turn, which is also that of `Refolding`: while models lack events, nothing else is folded.
    let share: FoldShare

    init(_ parts: ModelParts, _ served: ServedDefinitions) {
        (log, feed, limits) = (parts.log, parts.feed, parts.limits)
        (self.served, isFollowed) = (served, parts.isFollowed)
        clock = parts.clock
        events = parts.events()
        share = FoldShare(parts.limits.foldStep)
    }

    /// True where there are declared models whose fold may be long.
    var mayConcern: Bool { !served.isEmpty }
    /// True while a step can be done.
    var hasWork: Bool { underWay.map { !$0.fold.isAtRest } ?? (ended != nil || rest > 0 && mayConcern) }

    /// Returns true while other writes have to wait for the fold of one.
    func holdsWrites(but connection: Connection?) -> Bool {
        guard let owner = underWay?.owner else { return false }
        return owner !== connection
    }

    /// True while an entry from elsewhere can be looked at.
    var takesEntries: Bool { underWay.map { $0.owner == nil && $0.fold.isAtRest } ?? true }

    // MARK: Inputs

    /// Looks at a write before it is handled: a long fold of its events begins, or has ended.
    ///
    /// - Parameter engine: decides which events it has.
    func look(
        at request: borrowing Request, of connection: Connection, now: Instant, _ output: some TurnOutput,
        by engine: Engine
    ) -> Look {
        if let underWay, underWay.owner === connection, underWay.fold.head == log.head {
            switch underWay.fold.state {
            case .folding, .indexing, .preparing: return .mustWait
            case .ready: return .handle(at: underWay.fold.time)
            case .refused(let failure):
                self.underWay = nil
                return .refused(failure)
            }
        }
        guard isLong(request, in: engine.catalogue) else { return .handle(at: nil) }
        guard rest == 0 else { return .mustRest }
        guard var session = connection.conversation?.session else { return .handle(at: nil) }
        let begun = connection.conversation?.look
        let rehearsal = Rehearsal(durable: output.durable, published: output.published, look: begun)
        engine.handle(request, from: &session, now: now, into: rehearsal)
        guard let records = rehearsal.records else { return .handle(at: nil) }
        let time = max(records.all.first?.time ?? now, now)
        begin(LongFold(records, after: log.head, at: time, within: limits, events), connection)
        return look(at: request, of: connection, now: now, output, by: engine)
    }

    /// Returns true for a write whose fold may be long.
    func isLong(_ request: borrowing Request, in catalogue: Catalogue) -> Bool {
        guard case .write(let write) = request.action else { return false }
        return served.mostWork(of: write, in: catalogue) > limits.shortFold
    }

    /// Returns true where the records of an entry from elsewhere can be appended: their fold is short, or ready.
    func look(at entry: UnsafeRawBufferPointer) -> Bool {
        if let underWay, underWay.owner == nil, underWay.fold.head == log.head,
            underWay.entry.withBytes({ $0.equals(entry) })
        {
            return underWay.fold.isAtRest
        }
        giveUp()
        // Records that are damaged are refused by the log.
        guard !served.isEmpty, let records = try? FoldedRecords(entry, after: log.head),
            served.mostWork(of: records.all) > limits.shortFold
        else { return true }
        begin(LongFold(records, after: log.head, at: nil, within: nil, events), nil, [UInt8](entry))
        return underWay?.fold.isAtRest ?? true
    }

    private func begin(_ fold: LongFold, _ owner: Connection?, _ entry: [UInt8] = []) {
        giveUp()
        underWay = UnderWay(fold: fold, owner: owner, entry: entry)
        step()
    }

    /// Notes that a write was handled: a fold of it that no event used is given up.
    func handled(_ connection: Connection) { if underWay?.owner === connection { underWay = nil } }

    /// Folds an event that was appended: joins the changes that are ready for it, or folds it now.
    func appended(_ record: EventRecord) {
        guard let fold = underWay?.fold else { return served.fold(record) }
        guard fold.appended(record) else {
            underWay = nil
            if record.position != fold.head.next { served.lost(.failed("events differ from those that were folded")) }
            return served.fold(record)
        }
        served.passed(record)
        guard fold.isAppended else { return }
        underWay = nil
        fold.join(feed, isFollowed: isFollowed())
    }

    /// Gives the fold up: events were undone, or other definitions answer.
    func giveUp() {
        if let owner = underWay?.owner { ended = owner }
        underWay = nil
    }

    // MARK: Steps

    /// Does the steps of a turn.
    func advance() {
        share.begin()
        rest = max(0, rest - 1)
        guard let underWay else { return }
        if underWay.fold.head != log.head || underWay.owner?.isEnding == true { return giveUp() }
        if let since = underWay.readySince { return clock() - since > LongFolds.patience ? giveUp() : () }
        step()
        guard underWay.fold.isAtRest else { return }
        self.underWay?.readySince = clock()
        ended = underWay.owner
    }

    private func step() {
        guard let underWay, share.left > .zero else { return }
        share.use(leaving: underWay.fold.advance(within: share.left, served))
    }

    /// Takes the connection whose write can be handled again; nil where there is none.
    func takeEnded() -> Connection? { ended.take() }
}

/// The share of a turn that folds in steps have: those of writes and entries, and those of models that lost events.
final class FoldShare {
    private let each: Work
    /// The work that is left in this turn.
    private(set) var left: Work
    /// The most work that a step has done beyond its share.
    private(set) var excess = Work.zero

    /// - Parameter each: the work of a turn.
    init(_ each: Work) { (self.each, left) = (each, each) }

    /// Begins the next turn.
    func begin() { left = each }

    /// Notes a step.
    ///
    /// - Parameter left: the work that it has left.
    func use(leaving left: Work) {
        self.left = left
        excess = max(excess, .zero - left)
    }
}
