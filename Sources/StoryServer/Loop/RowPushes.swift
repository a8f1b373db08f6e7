import StoryCore
import StoryEngine
import StoryModels
import StoryWire

/// Tells watchers of rows and lists what events did to rows: each row is looked up and encoded once for all of them.
final class RowPushes {
    /// What is known of one event, as far as somebody asked.
    private final class Entry {
        let update: RowUpdate?
        lazy var shown = update?.state.shown ?? []

        init(_ update: RowUpdate?) { self.update = update }

        /// About how many bytes it takes: the row, and what is told of it, which is longer.
        var keptBytes: Int { 256 + 3 * (update?.state.row?.bytes.count ?? 0) }
    }

    /// A row, by its number, after the events up to a position.
    private struct Past: Hashable {
        let row: UInt64
        let through: Position
    }

    /// What a watcher is told of an event.
    private enum News {
        case nothing
        case shown([UInt8])
    }

    /// So many events are remembered, those of one moment.
    private static let maxEntries = 1_024
    /// The same in bytes of their rows: some may be large.
    private static let maxEntryBytes = 4 << 20

    private let watcher: RowWatcher
    private var entries: [Position: Entry] = [:]
    private var entryBytes = 0
    private var moment = Position.zero
    private let durableRows = DurableRows()
    /// How rows were when events up to some position had been, as far as events of that moment made somebody ask.
    private var pasts: [Past: EarlierRow] = [:]
    /// The rows of which an event could not be told yet: what was found out for it is kept from moment to moment.
    private var unfinished: Set<UInt64> = []
    /// So many rows are kept for that.
    private static let maxUnfinished = 64
    /// How many changes of rows were worked out, whoever watches them.
    private(set) var count: UInt64 = 0

    init(_ watcher: RowWatcher) { self.watcher = watcher }

    /// Events were undone: what others made of the rows since is not what was found out.
    func eventsUndone() {
        (entries, entryBytes, pasts, unfinished) = ([:], 0, [:], [])
        durableRows.removeAll()
    }

    // MARK: What there is

    /// Shows a watcher what is there before he follows the events; returns when it is shown, or room or budget is spent.
    ///
    /// - Throws: what reading failed with.
    func list(
        _ subscription: inout Subscription, after key: [UInt8]?, _ durable: Position, _ output: inout [UInt8],
        until size: Int, _ budget: inout Budget
    ) throws(StorageError) {
        switch subscription.subject {
        case .events: subscription.listingEnded()
        case .row(let kind, let id):
            budget.look(at: Budget.rowUnits)
            let last = subscription.last
            guard let state = try watcher.state(of: kind, id, since: last, through: durable, durableRows, &budget)
            else { return }
            // Where there is none, that is said of the last event that is known of, not of the row's own last one.
            let json = state.row == nil ? RowPushEncoder.absent(at: state.through) : state.shown
            push(json, subscription.id, &output, &budget)
            _ = subscription.show(state.number, as: state.position, at: subscription.last)
            subscription.listingEnded()
        case .list(let kind, let conditions):
            var follower = subscription
            defer { subscription = follower }
            let before = follower.phase
            let isWhole = try watcher.list(
                kind, conditions, after: key, through: durable, durableRows, &budget
            ) { (row, key, budget) throws(StorageError) in
                let last = follower.last
                // One that cannot be remembered is told of with the event that changed it.
                if let row, row.withView({ follower.show($0.number, as: $0.position, at: last) }) {
                    push(row.withView { RowPushEncoder.row($0) }, follower.id, &output, &budget)
                }
                follower.listed(through: key)
                return output.count < size
            }
            if isWhole || follower.phase != before {
                follower.listingStepped(durable: durable, head: watcher.head, isWhole: isWhole)
            }
        }
    }

    // MARK: What happens

    /// Tells a watcher what an event did, unless he was shown that already.
    ///
    /// - Returns: false where the budget was spent before that was known; nothing is told then.
    /// - Throws: what reading failed with.
    func push(
        _ record: EventRecord, _ durable: Position, _ subscription: inout Subscription, _ output: inout [UInt8],
        _ budget: inout Budget
    ) throws(StorageError) -> Bool {
        let (row, event) = (record.streamNumber.value, record.position)
        guard !subscription.wasShown(row, at: event) else { return true }
        guard let entry = try entry(of: record, durable, &budget) else { return false }
        guard let update = entry.update else { return true }
        guard let news = try news(of: update, entry, row, event, &subscription, &budget) else {
            unfinished.insert(row)
            return false
        }
        if !unfinished.isEmpty { unfinished.remove(row) }
        if case .shown(let json) = news { push(json, subscription.id, &output, &budget) }
        return true
    }

    /// What a watcher is told of an event, and whether he is told of the row as later events left it.
    ///
    /// - Returns: nil where the budget was spent before that was known.
    private func news(
        of update: RowUpdate, _ entry: Entry, _ row: UInt64, _ event: Position, _ subscription: inout Subscription,
        _ budget: inout Budget
    ) throws(StorageError) -> News? {
        guard let news = try news(of: update, entry.shown, row, event, subscription, &budget) else { return nil }
        guard !subscription.show(row, as: update.state.position, at: event) else { return news }
        // It cannot be remembered that he saw a later state: he is told of the one that the event left.
        budget.look(at: Budget.rowUnits)
        guard let past = try past(of: update, row, through: event, &budget) else { return nil }
        var exact = update
        exact.state = RowState(number: row, row: past.row, position: event)
        return try self.news(of: exact, exact.state.shown, row, event, subscription, &budget)
    }

    /// What a watcher is told of an event.
    ///
    /// - Returns: nil where the budget was spent before that was known.
    private func news(
        of update: RowUpdate, _ shown: @autoclosure () -> [UInt8], _ row: UInt64, _ event: Position,
        _ subscription: Subscription, _ budget: inout Budget
    ) throws(StorageError) -> News? {
        let subject = subscription.subject
        if let now = update.state.row {
            if now.withView({ isWatched($0, by: subject) }) {
                // An event that leaves a row as it was is no change of it, and one that the list comes to is told of there.
                let isToCome = now.withView { now in
                    subscription.isInDoubt && subscription.isAhead(key(of: now, by: subject))
                }
                return now.withView { $0.position >= event } && !isToCome ? .shown(shown()) : .nothing
            }
            // What is there and was never let in need not be looked for in the past.
            if case .list(_, let conditions) = subject, update.schema.areSettled(conditions) { return .nothing }
        }
        guard update.version > Version(1) else { return .nothing }
        guard let past = try past(of: update, row, through: Position(event.value - 1), &budget) else { return nil }
        guard let before = past.row, before.withView({ isWatched($0, by: subject) }) else { return .nothing }
        switch subject {
        case .events: return .nothing
        case .row: return .shown(shown())
        case .list(_, let conditions):
            let told = subscription.isInDoubt ? told(before, conditions, of: event, to: subscription) : .yes
            guard let isTold = try wasTold(told, before, conditions, of: update, row, &budget) else { return nil }
            guard isTold else { return .nothing }
            return .shown(RowPushEncoder.removed(update.id, at: update.state.position))
        }
    }

    private func told(
        _ before: RowCopy, _ conditions: [Condition], of event: Position, to subscription: Subscription
    ) -> ToldRow {
        before.withView { row in
            subscription.told(of: watcher.key(of: row, conditions), since: row.position, until: event)
        }
    }

    /// True when a watcher has the row that an event took out of his list: it was shown when the list was walked if the
    /// durable events had made it what it was, and with the others it still was in the index.
    ///
    /// - Returns: nil where the budget was spent before that was known.
    private func wasTold(
        _ told: ToldRow, _ before: RowCopy, _ conditions: [Condition], of update: RowUpdate, _ row: UInt64,
        _ budget: inout Budget
    ) throws(StorageError) -> Bool? {
        switch told {
        case .yes: return true
        case .no: return false
        case .ifListed(let durable, let head):
            guard let shown = try past(of: update, row, through: durable, &budget) else { return nil }
            let position = before.withView { $0.position }
            guard shown.row?.withView({ $0.position == position }) == true else { return false }
            guard let walked = try past(of: update, row, through: head, &budget) else { return nil }
            return walked.row?.withView { conditions.match($0) } ?? false
        }
    }

    /// Nil where the budget was spent before it was known.
    private func entry(
        of record: EventRecord, _ durable: Position, _ budget: inout Budget
    ) throws(StorageError) -> Entry? {
        if durable != moment || entries.count >= RowPushes.maxEntries || entryBytes >= RowPushes.maxEntryBytes {
            entries.removeAll(keepingCapacity: true)
            entryBytes = 0
            if !pasts.isEmpty { forgetPasts() }
            moment = durable
        }
        if let known = entries[record.position] { return known }
        budget.look(at: Budget.rowUnits)
        let entry: Entry
        switch try watcher.update(by: record, through: durable, durableRows, &budget) {
        case .none: entry = Entry(nil)
        case .unknown: return nil
        case .update(let update): entry = Entry(update)
        }
        entries[record.position] = entry
        entryBytes += entry.keptBytes
        count += 1
        return entry
    }

    private func isWatched(_ row: RowView, by subject: Subject) -> Bool {
        switch subject {
        case .events: false
        case .row: true
        case .list(_, let conditions): conditions.match(row)
        }
    }

    private func key(of row: RowView, by subject: Subject) -> [UInt8] {
        if case .list(_, let conditions) = subject { watcher.key(of: row, conditions) } else { [] }
    }

    /// How a row was when the events up to a position had been; nil where the budget was spent before that was known.
    private func past(
        of update: RowUpdate, _ row: UInt64, through last: Position, _ budget: inout Budget
    ) throws(StorageError) -> EarlierRow? {
        let asked = Past(row: row, through: last)
        if let known = pasts[asked] { return try known.find(&budget) ? known : nil }
        let past = try watcher.past(of: update, through: last)
        pasts[asked] = past
        return try past.find(&budget) ? past : nil
    }

    /// What was found out belongs to its moment, but for what is gone on with.
    private func forgetPasts() {
        if unfinished.count > RowPushes.maxUnfinished { unfinished = [] }
        pasts = pasts.filter { unfinished.contains($0.key.row) }
    }

    private func push(
        _ json: [UInt8], _ id: SubscriptionID, _ output: inout [UInt8], _ budget: inout Budget
    ) {
        json.withUnsafeBytes { ReplyEncoder.appendPush($0, subscription: id, to: &output) }
        budget.write(json.count)
    }
}

extension RowState {
    /// What a watcher of the row is told.
    fileprivate var shown: [UInt8] {
        row?.withView { RowPushEncoder.row($0) } ?? RowPushEncoder.absent(at: position)
    }
}
