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
        var before: (row: RowCopy?, isKnown: Bool)?

        init(_ update: RowUpdate?) { self.update = update }
    }

    /// So many events are remembered, those of one moment.
    private static let maxEntries = 1_024

    private let watcher: RowWatcher
    private var entries: [Position: Entry] = [:]
    private var moment = Position.zero
    /// How many changes of rows were worked out, whoever watches them.
    private(set) var count: UInt64 = 0

    init(_ watcher: RowWatcher) { self.watcher = watcher }

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
            let state = try watcher.state(of: kind, id, through: durable)
            // Where there is none, that is said of now.
            let json = state.row == nil ? RowPushEncoder.absent(at: durable) : state.shown
            push(json, subscription.id, &output, &budget)
            _ = subscription.show(state.number, as: state.position, at: subscription.last)
            subscription.listingEnded()
        case .list(let kind, let conditions):
            var follower = subscription
            defer { subscription = follower }
            let isWhole = try watcher.list(
                kind, conditions, after: key, through: durable, &budget
            ) { (row, key, budget) throws(StorageError) in
                let last = follower.last
                let isRemembered = row?.withView { follower.show($0.number, as: $0.position, at: last) } ?? true
                var shown = row
                if !isRemembered, let row { shown = try watcher.passing(row, conditions, through: last) }
                if let shown { push(shown.withView { RowPushEncoder.row($0) }, follower.id, &output, &budget) }
                follower.listed(through: key)
                return output.count < size
            }
            if isWhole { follower.listingEnded() }
        }
    }

    // MARK: What happens

    /// Tells a watcher what an event did, unless he was shown that already.
    ///
    /// - Throws: what reading failed with.
    func push(
        _ record: EventRecord, _ durable: Position, _ subscription: inout Subscription, _ output: inout [UInt8],
        _ budget: inout Budget
    ) throws(StorageError) {
        let row = record.streamNumber.value
        guard !subscription.wasShown(row, at: record.position) else { return }
        var entry = try entry(of: record, durable, &budget)
        guard var update = entry.update else { return }
        if !subscription.show(row, as: update.state.position, at: record.position) {
            budget.look(at: Budget.rowUnits)
            guard let exact = try watcher.update(by: record, through: record.position) else { return }
            (entry, update) = (Entry(exact), exact)
        }
        if let row = update.state.row, row.withView({ isWatched($0, by: subscription.subject) }) {
            // An event that leaves a row as it was is no change of it.
            guard row.withView({ $0.position >= record.position }) else { return }
            return push(entry.shown, subscription.id, &output, &budget)
        }
        guard try wasWatched(entry, update, by: subscription.subject, &budget) else { return }
        switch subscription.subject {
        case .events: break
        case .row: push(entry.shown, subscription.id, &output, &budget)
        case .list:
            push(RowPushEncoder.removed(update.id, at: update.state.position), subscription.id, &output, &budget)
        }
    }

    private func entry(
        of record: EventRecord, _ durable: Position, _ budget: inout Budget
    ) throws(StorageError) -> Entry {
        if durable != moment || entries.count >= RowPushes.maxEntries {
            entries.removeAll(keepingCapacity: true)
            moment = durable
        }
        if let known = entries[record.position] { return known }
        budget.look(at: Budget.rowUnits)
        let entry = Entry(try watcher.update(by: record, through: durable))
        entries[record.position] = entry
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

    /// True when the row was there for the watcher before the event.
    private func wasWatched(
        _ entry: Entry, _ update: RowUpdate, by subject: Subject, _ budget: inout Budget
    ) throws(StorageError) -> Bool {
        if entry.before == nil {
            budget.look(at: Budget.rowUnits)
            entry.before = try watcher.rowBefore(update)
        }
        guard let before = entry.before, before.isKnown else { return true }
        return before.row?.withView { isWatched($0, by: subject) } ?? false
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

extension Subscription {
    /// The last position that was looked at.
    fileprivate var last: Position { Position(next.value - 1) }
}
