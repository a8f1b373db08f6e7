import StoryCore
import StoryEngine
import StoryFold
import StoryStore

/// The fold of the events of one write, or of one entry from elsewhere, into the declared models, in steps and before
/// the events are appended.
///
/// Its changes are in memtables of their own, which join the models when the last event is appended. Until then reads
/// see the models without them, and nothing else is written. To give it up is to drop it.
final class LongFold {
    /// The progress of a fold.
    enum State: Equatable {
        /// Events are left.
        case folding
        /// The rows get the entries of their indexes.
        case indexing
        /// The memtables are made ready to join at once.
        case preparing
        /// The events can be appended.
        case ready
        /// The write changes more than a write may.
        case refused(Failure)
    }

    /// The number of entries that are copied in a step, and at most when the memtables join.
    private static let entriesOfStep = 1_024
    /// The number of rows, and the bytes of all changes, that followers get one by one; of more, they list again.
    private static let (toldRows, toldBytes) = (2_048, 2 << 20)

    /// The last event before those that are folded.
    let head: Position
    /// The time of the events that are decided here; nil for an entry.
    let time: Instant?
    private(set) var state = State.folding
    private let records: FoldedRecords
    private let limits: Limits?
    private var staged: [StagedDefinition] = []
    private let events: any EventReading
    /// The number of the record that is folded next, then of the definition that is indexed next, then, beyond their count,
    /// of the one that is prepared next.
    private var next = 0
    /// The definitions that read the record, and the number of the one that comes next.
    private var readers: (definitions: [StagedDefinition], next: Int)?
    /// The number of records that were appended.
    private var appended = 0
    /// True where the changes of the rows are few enough for followers to get them one by one.
    private var areRowsTold = false

    /// Creates a fold of records.
    ///
    /// - Parameters:
    ///   - limits: the limits of what they may change; nil: none, since the log has them.
    ///   - events: a reader that nobody else uses.
    init(
        _ records: FoldedRecords, after head: Position, at time: Instant?, within limits: Limits?,
        _ events: any EventReading
    ) {
        (self.records, self.head, self.time) = (records, head, time)
        (self.limits, self.events) = (limits, events)
    }

    /// The last event of the fold.
    var last: Position { records.all.last?.position ?? head }
    /// True where no step is left.
    var isAtRest: Bool {
        switch state {
        case .folding, .indexing, .preparing: false
        case .ready, .refused: true
        }
    }
    /// The memory of the changes in bytes, and the number of changed rows and notes.
    private var (bytes, changeCount) = (0, 0)
    /// The work that was done.
    private var spent = Work.zero

    // MARK: Steps

    /// Goes on with the fold.
    ///
    /// - Parameters:
    ///   - work: the work of the step; the last event of a model, or the last row of it, is done whole.
    ///   - served: the definitions that answer.
    /// - Returns: the work that is left.
    func advance(within work: Work, _ served: ServedDefinitions) -> Work {
        var left = work
        while left > .zero, !isAtRest {
            switch state {
            case .folding: fold(&left, served)
            case .indexing: index(&left)
            case .preparing: prepare(&left)
            case .ready, .refused: break
            }
        }
        return left
    }

    private func fold(_ left: inout Work, _ served: ServedDefinitions) {
        guard next < records.all.count else {
            (state, next) = (.indexing, 0)
            return
        }
        let record = records.all[next]
        if readers == nil { readers = (served.readers(of: record).map { stage($0) }, 0) }
        guard let (definitions, index) = readers else { return }
        guard index < definitions.count else {
            (readers, next) = (nil, next + 1)
            return left -= .record
        }
        if step(definitions[index], &left, { $0.advance(record, within: $1) }) { readers?.next += 1 }
    }

    private func index(_ left: inout Work) {
        guard next < staged.count else {
            areRowsTold =
                bytes <= LongFold.toldBytes && staged.reduce(0) { $0 + $1.rowCount } <= LongFold.toldRows
            return state = .preparing
        }
        if step(staged[next], &left, { $0.index(within: $1) }) { next += 1 }
    }

    /// Does a step of a definition, and charges it.
    ///
    /// - Returns: the result of the step.
    private func step(
        _ one: StagedDefinition, _ left: inout Work, _ body: (StagedDefinition, Work) -> Bool
    ) -> Bool {
        let (work, size, count) = (one.spent, one.tables.bytes, one.changeCount)
        let isOver = body(one, left)
        left -= one.spent - work
        spent += one.spent - work
        bytes += one.tables.bytes - size
        changeCount += one.changeCount - count
        if let failure = excess { state = .refused(failure) }
        return isOver
    }

    private func prepare(_ left: inout Work) {
        guard next < 2 * staged.count else { return state = .ready }
        let one = staged[next - staged.count]
        if one.prepare(copying: LongFold.entriesOfStep) { next += 1 }
        left -= LongFold.entriesOfStep * .entry
    }

    private func stage(_ definition: ServedDefinition) -> StagedDefinition {
        if let one = staged.first(where: { $0.definition === definition }) { return one }
        let one = StagedDefinition(definition, events)
        staged.append(one)
        return one
    }

    private var advice: String {
        records.all.count > 1
            ? "append fewer events at a time" : "one event is to change fewer, or fewer models are to read it"
    }

    /// The refusal of a write that changes more than a write may; nil while it does not.
    private var excess: Failure? {
        guard let limits else { return nil }
        if changeCount > limits.changes {
            let message =
                "the events change more than \(limits.changes) rows of declared models; \(advice)"
            return Failure(.tooLarge, message, .limit(limits.changes))
        }
        if spent > limits.foldMilliseconds * .millisecond {
            let message =
                "the fold of the events into declared models takes more than \(limits.foldMilliseconds) ms; "
                + advice
            return Failure(.tooLarge, message, .limit(limits.foldMilliseconds))
        }
        guard bytes > limits.changedBytes else { return nil }
        let message =
            "the rows of declared models that the events change have more than \(limits.changedBytes) bytes; "
            + advice
        return Failure(.tooLarge, message, .limit(limits.changedBytes))
    }

    // MARK: Joining

    /// Takes note of a record that was appended.
    ///
    /// - Returns: false where it is not the one that was folded.
    func appended(_ record: EventRecord) -> Bool {
        guard state == .ready, appended < records.all.count, records.all[appended].isSame(as: record) else {
            return false
        }
        appended += 1
        return true
    }

    /// True once the last record was appended.
    var isAppended: Bool { appended == records.all.count }

    /// Joins the changes to the models.
    ///
    /// - Parameter isFollowed: true while a subscription follows rows.
    func join(_ feed: ChangeFeed, isFollowed: Bool) {
        let areTold = isFollowed && areRowsTold
        let changes = staged.flatMap { $0.join(through: last, isFollowed: areTold) }
        guard areTold else { return feed.foldedUntold(through: last) }
        for change in changes.sorted(by: { $0.position < $1.position }) { change.note(in: feed) }
    }
}

extension StagedDefinition {
    fileprivate func prepare(copying count: Int) -> Bool { definition.store.prepare(tables, copying: count) }
}

extension EventRecord {
    /// Returns true where another record has the same event at the same position.
    fileprivate func isSame(as other: EventRecord) -> Bool {
        position == other.position && streamNumber == other.streamNumber && json.equals(other.json)
    }
}
