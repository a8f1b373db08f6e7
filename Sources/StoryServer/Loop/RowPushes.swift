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
    }

    /// So many events are remembered, those of one moment.
    private static let maxEntries = 1_024

    private let watcher: RowWatcher
    private var entries: [Position: Entry] = [:]
    private var moment = Position.zero
    private let durableRows = DurableRows()
    /// How rows were before events of that moment, and before those for which that is still being found out.
    private var befores: [Position: RowBefore] = [:]
    /// So many that are still being found out are kept from one moment to the next.
    private static let maxUnfinished = 64
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
                // One that cannot be remembered is told of with the event that changed it.
                if let row, row.withView({ follower.show($0.number, as: $0.position, at: last) }) {
                    push(row.withView { RowPushEncoder.row($0) }, follower.id, &output, &budget)
                }
                follower.listed(through: key)
                return output.count < size
            }
            follower.listingStepped(durable: durable, head: watcher.head, isWhole: isWhole)
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
        let row = record.streamNumber.value
        guard !subscription.wasShown(row, at: record.position) else { return true }
        guard let entry = try entry(of: record, durable, &budget) else { return false }
        guard let update = entry.update else { return true }
        guard try isKnown(update, record.position, subscription.subject, &budget) else { return false }
        if subscription.show(row, as: update.state.position, at: record.position) {
            try tell(update, entry.shown, of: record.position, to: subscription, &output, &budget)
            return true
        }
        budget.look(at: Budget.rowUnits)
        guard let exact = try watcher.update(by: record, through: record.position) else { return true }
        guard try isKnown(exact, record.position, subscription.subject, &budget) else { return false }
        try tell(exact, exact.state.shown, of: record.position, to: subscription, &output, &budget)
        return true
    }

    /// Tells a watcher what became of a row; how that was before the event is known where it is wanted.
    private func tell(
        _ update: RowUpdate, _ shown: @autoclosure () -> [UInt8], of event: Position, to subscription: Subscription,
        _ output: inout [UInt8], _ budget: inout Budget
    ) throws(StorageError) {
        let subject = subscription.subject
        if let row = update.state.row, row.withView({ isWatched($0, by: subject) }) {
            // An event that leaves a row as it was is no change of it, and one that the list comes to is told of there.
            let isNew = row.withView { row in
                row.position >= event && !(subscription.isInDoubt && subscription.isAhead(key(of: row, by: subject)))
            }
            if isNew { push(shown(), subscription.id, &output, &budget) }
            return
        }
        guard let before = befores[event]?.row, before.withView({ isWatched($0, by: subject) }) else { return }
        switch subject {
        case .events: break
        case .row: push(shown(), subscription.id, &output, &budget)
        case .list(_, let conditions):
            guard try wasTold(before, conditions, of: event, to: subscription) else { return }
            push(RowPushEncoder.removed(update.id, at: update.state.position), subscription.id, &output, &budget)
        }
    }

    /// True when a watcher has the row that an event took out of his list.
    private func wasTold(
        _ before: RowCopy, _ conditions: [Condition], of event: Position, to subscription: Subscription
    ) throws(StorageError) -> Bool {
        guard subscription.isInDoubt else { return true }
        let told = before.withView { row in
            subscription.told(of: watcher.key(of: row, conditions), since: row.position, until: event)
        }
        switch told {
        case .yes: return true
        case .no: return false
        case .ifListed(let durable, let head):
            return try watcher.wasListed(before, conditions, durable: durable, head: head)
        }
    }

    /// Nil where the budget was spent before it was known.
    private func entry(
        of record: EventRecord, _ durable: Position, _ budget: inout Budget
    ) throws(StorageError) -> Entry? {
        if durable != moment || entries.count >= RowPushes.maxEntries {
            entries.removeAll(keepingCapacity: true)
            if !befores.isEmpty { forgetBefores() }
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

    /// True when it is known how the row was before the event, or need not be known.
    private func isKnown(
        _ update: RowUpdate, _ event: Position, _ subject: Subject, _ budget: inout Budget
    ) throws(StorageError) -> Bool {
        if let row = update.state.row {
            if row.withView({ isWatched($0, by: subject) }) { return true }
            // What is there and was never let in need not be looked for in the past.
            if case .list(_, let conditions) = subject, update.schema.areSettled(conditions) { return true }
        }
        if let before = befores[event] { return try before.find(&budget) }
        let before = try watcher.before(event, update)
        befores[event] = before
        return try before.find(&budget)
    }

    /// What was found out belongs to its moment; what is not whole is gone on with.
    private func forgetBefores() {
        befores = befores.filter { !$0.value.isKnown }
        if befores.count > RowPushes.maxUnfinished { befores = [:] }
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
