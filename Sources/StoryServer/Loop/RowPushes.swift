import StoryCore
import StoryEngine
import StoryModels
import StoryWire

/// The pushes to subscriptions of rows and lists: each changed row is looked up and encoded once for all of them.
final class RowPushes {
    /// The cached update of one event.
    private final class Entry {
        let update: RowUpdate?
        let encoder: RowPushEncoder
        lazy var shown = update.map { encoder.shown($0.state) } ?? []

        init(_ update: RowUpdate?, _ encoder: RowPushEncoder) { (self.update, self.encoder) = (update, encoder) }

        /// The estimated size in bytes: the row, and its encoded form, which is longer.
        var keptBytes: Int { 256 + 3 * (update?.state.row?.bytes.count ?? 0) }
    }

    /// A key of the cache of earlier rows: a row's number, and the last event that is applied to it.
    private struct Past: Hashable {
        let row: UInt64
        let through: Position
    }

    /// The push that an event causes for a subscription.
    private enum News {
        case nothing
        case shown([UInt8])
    }

    /// The maximum number of cached events, all cached at the same durable position.
    private static let maxEntries = 1_024
    /// The maximum size of their rows, in bytes: some rows are large.
    private static let maxEntryBytes = 4 << 20

    private let watcher: RowWatcher
    private let encoder: RowPushEncoder
    private var entries: [Position: Entry] = [:]
    private var entryBytes = 0
    private var moment = Position.zero
    private let durableRows = DurableRows()
    /// The cache of rows as of earlier positions, which subscriptions needed at the current durable position.
    private var pasts: [Past: EarlierRow] = [:]
    /// The rows with an event whose push is not computed yet: their earlier states are kept when the position changes.
    private var unfinished: Set<UInt64> = []
    /// The maximum number of such rows.
    private static let maxUnfinished = 64
    /// The number of row changes computed, each once for all its subscriptions.
    private(set) var count: UInt64 = 0

    init(_ watcher: RowWatcher, _ encoder: RowPushEncoder) { (self.watcher, self.encoder) = (watcher, encoder) }

    /// Clears all caches after events were undone, since other events may change the rows now.
    func eventsUndone() {
        (entries, entryBytes, pasts, unfinished) = ([:], 0, [:], [])
        durableRows.removeAll()
    }

    // MARK: Lists

    /// Shows a subscription the present rows before it follows the events, until all are shown or room or budget is
    /// spent.
    ///
    /// - Throws: the error of reading.
    func list(
        _ subscription: inout Subscription, after key: [UInt8]?, _ durable: Position, _ output: inout ByteWriter,
        until size: Int, _ budget: inout Budget
    ) throws(StorageError) {
        switch subscription.subject {
        case .events: subscription.listingEnded()
        case .row(let kind, let id):
            budget.look(at: Budget.rowUnits)
            let last = subscription.last
            guard let state = try watcher.state(of: kind, id, since: last, through: durable, durableRows, &budget)
            else { return }
            // An absent row is reported as of the last known event, not of the row's own last one.
            let json = state.row == nil ? RowPushEncoder.absent(at: state.through) : encoder.shown(state)
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
                // A row that cannot be remembered is pushed with the event that changed it.
                if let row, row.withView({ follower.show($0.number, as: $0.position, at: last) }) {
                    push(row.withView { encoder.row($0) }, follower.id, &output, &budget)
                }
                follower.listed(through: key)
                return output.count < size
            }
            if isWhole || follower.phase != before {
                follower.listingStepped(durable: durable, head: watcher.head, isWhole: isWhole)
            }
        }
    }

    // MARK: Events

    /// Pushes an event's effect on its row, unless the subscription was already shown that state.
    ///
    /// - Returns: false where the budget was spent too early; then nothing was pushed.
    /// - Throws: the error of reading.
    func push(
        _ record: EventRecord, _ durable: Position, _ subscription: inout Subscription, _ output: inout ByteWriter,
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

    /// Returns the push for an event: the row's newest durable state, or its state as of the event.
    ///
    /// - Returns: nil where the budget was spent too early.
    private func news(
        of update: RowUpdate, _ entry: Entry, _ row: UInt64, _ event: Position, _ subscription: inout Subscription,
        _ budget: inout Budget
    ) throws(StorageError) -> News? {
        guard let news = try news(of: update, entry.shown, row, event, subscription, &budget) else { return nil }
        guard !subscription.show(row, as: update.state.position, at: event) else { return news }
        // The per-subscription map is full, or memory is short, so the state as of this event is pushed instead of the
        // newest.
        budget.look(at: Budget.rowUnits)
        guard let past = try past(of: update, row, through: event, &budget) else { return nil }
        var exact = update
        exact.state = RowState(number: row, row: past.row, position: event)
        return try self.news(of: exact, encoder.shown(exact.state), row, event, subscription, &budget)
    }

    /// Returns the push for an event, given the row's state after it.
    ///
    /// - Returns: nil where the budget was spent too early.
    private func news(
        of update: RowUpdate, _ shown: @autoclosure () -> [UInt8], _ row: UInt64, _ event: Position,
        _ subscription: Subscription, _ budget: inout Budget
    ) throws(StorageError) -> News? {
        let subject = subscription.subject
        if let now = update.state.row {
            if now.withView({ isWatched($0, by: subject) }) {
                // An event that left the row unchanged is no change. A row ahead in the list is pushed when the list
                // comes to it.
                let isToCome = now.withView { now in
                    subscription.isInDoubt && subscription.isAhead(key(of: now, by: subject))
                }
                return now.withView { $0.position >= event } && !isToCome ? .shown(shown()) : .nothing
            }
            // A row that is present and could never have matched needs no look at its earlier state.
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

    /// Returns true when the subscription has a row that an event removed from its list. The walk of the list showed
    /// the row if the durable events had left it in this state, and later events had left it in the index.
    ///
    /// - Returns: nil where the budget was spent too early.
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

    /// Returns the cached update of an event; nil where the budget was spent too early.
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
        case .none: entry = Entry(nil, encoder)
        case .unknown: return nil
        case .update(let update): entry = Entry(update, encoder)
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

    /// Returns the row as of an earlier position; nil where the budget was spent too early.
    private func past(
        of update: RowUpdate, _ row: UInt64, through last: Position, _ budget: inout Budget
    ) throws(StorageError) -> EarlierRow? {
        let asked = Past(row: row, through: last)
        if let known = pasts[asked] { return try known.find(&budget) ? known : nil }
        let past = try watcher.past(of: update, through: last)
        pasts[asked] = past
        return try past.find(&budget) ? past : nil
    }

    /// Removes the cached earlier rows, except those that unfinished events need.
    private func forgetPasts() {
        if unfinished.count > RowPushes.maxUnfinished { unfinished = [] }
        pasts = pasts.filter { unfinished.contains($0.key.row) }
    }

    private func push(
        _ json: [UInt8], _ id: SubscriptionID, _ output: inout ByteWriter, _ budget: inout Budget
    ) {
        json.withUnsafeBytes { ReplyEncoder.appendPush($0, subscription: id, to: &output) }
        budget.write(json.count)
    }
}

extension RowPushEncoder {
    /// Returns the encoded push for a subscription to the row.
    fileprivate func shown(_ state: RowState) -> [UInt8] {
        state.row?.withView { row($0) } ?? RowPushEncoder.absent(at: state.position)
    }
}
