package import StoryCore

/// The feed of row changes: each change is noted when its event is folded, and told to subscriptions once the event is
/// durable.
///
/// Changes that are not durable yet are kept with the state before them, so that a row can be shown as it is durable.
/// Durable ones are kept for subscriptions up to a limit; a subscription that falls off the feed has to list again.
package final class ChangeFeed {
    /// A weak reference to an observer.
    private struct WeakObserver {
        weak var observer: (any RowObserver)?
    }

    private var observers: [WeakObserver] = []
    private var pending = PendingChanges()
    /// The changes of durable events, for subscriptions.
    package private(set) var durable: DurableChanges
    /// The number of changes that became durable while a subscription followed rows.
    package private(set) var count: UInt64 = 0

    /// The last event whose changes were not noted, which is not durable yet; nil where there is none.
    private var untold: Position?

    /// The number of pending changes at which further writes wait, since they become durable in one turn.
    private static let maxPending = 8_192
    private let maxPendingBytes: Int
    /// The plans that pending changes may point into, though other ones replaced them.
    private var retired: [CataloguePlan] = []

    /// Creates an empty feed.
    package init(_ limits: Limits = Limits()) {
        maxPendingBytes = limits.pendingFeed
        durable = DurableChanges(maxBytes: limits.feed)
    }

    /// True while the pending changes fill their memory, which the next commits release.
    package var isFull: Bool { pending.byteCount >= maxPendingBytes || pending.count >= ChangeFeed.maxPending }

    /// True while rows have changes that are not durable and were not noted: they cannot be shown as they are durable.
    package var isUntold: Bool { untold != nil }

    // MARK: Inputs

    /// Notes a change that was folded; the store already holds the new row.
    package func folded(_ change: RowChange) {
        pending.append(change)
        for entry in observers { entry.observer?.rowChanged(change) }
    }

    /// Notes that events through a position changed rows of which too many changed, or which nobody follows: once that is
    /// durable, subscriptions list again.
    package func foldedUntold(through position: Position) {
        untold = position
        for entry in observers { entry.observer?.rowsRolledBack() }
    }

    /// Notes that other plans replace these ones, which are kept while changes are pending.
    package func retire(_ plan: CataloguePlan) { if pending.count > 0 { retired.append(plan) } }

    /// Notes that events through a position are durable.
    ///
    /// - Parameter isWatched: true while a subscription follows rows; otherwise no durable change is kept.
    /// - Returns: true where the changes that became durable are not in the feed, so that subscriptions list again.
    @discardableResult
    package func becameDurable(through position: Position, isWatched: Bool) -> Bool {
        defer { releaseRetired() }
        if let untold, untold <= position {
            self.untold = nil
            pending.removeFirst(through: position) { _ in }
            durable.lose()
            return isWatched
        }
        noteDurable(through: position, isWatched: isWatched)
        return false
    }

    private func noteDurable(through position: Position, isWatched: Bool) {
        guard isWatched else {
            if durable.end > durable.first { durable.removeAll() }
            return pending.removeFirst(through: position) { _ in }
        }
        durable.trim()
        pending.removeFirst(through: position) {
            durable.append($0)
            count += 1
        }
    }

    /// Keeps the encoded push of a durable change for the other subscriptions.
    package func keep(_ push: [UInt8], of change: DurableChange) { durable.keep(push, of: change) }

    /// Notes that events after a position were undone.
    package func rolledBack(to position: Position) {
        if let untold, untold > position { self.untold = nil }
        pending.removeLast(after: position)
        releaseRetired()
        for entry in observers { entry.observer?.rowsRolledBack() }
    }

    private func releaseRetired() { if pending.count == 0, !retired.isEmpty { retired = [] } }

    // MARK: Rows as they are durable

    /// Returns true when a change of the row is pending.
    package func isPending(_ row: RowView) -> Bool { pending.has(RowNumber(row.schema, row.number)) }

    /// Returns the number of rows that each kind, by its number, gained or lost by changes after the last durable event that
    /// were noted.
    package func growth(after durable: Position) -> [Int: Int64] { pending.growth(after: durable) }

    /// Calls `body` with the durable row with a key, nil where there is none.
    ///
    /// - Returns: nil, without a call, where no change of it is pending: the models have its durable state.
    package func withRow<Result>(
        _ schema: KindSchema, _ key: UnsafeRawBufferPointer, _ body: (RowView?) -> Result
    ) -> Result? { pending.withRow(before: schema, key, body) }

    /// Calls `body` with the durable state of each row of a kind that has a pending change, and with the number of that
    /// change, which is valid until the next input.
    package func forEachPendingRow(_ schema: KindSchema, _ body: (RowView, _ change: Int) -> Void) {
        pending.index()
        pending.forEachRow(before: schema, body)
    }

    /// Returns a copy of the row before a pending change.
    package func row(before change: Int) -> RowCopy? { pending.row(before: change) }

    /// The number of pending changes.
    package var pendingCount: Int { pending.count }

    // MARK: Observers

    /// Adds an observer, which is held weakly; returns false when there are `limit` already.
    package func add(_ observer: any RowObserver, atMost limit: Int) -> Bool {
        observers.removeAll { $0.observer == nil }
        guard observers.count < limit else { return false }
        observers.append(WeakObserver(observer: observer))
        return true
    }

    /// Removes an observer.
    package func remove(_ observer: any RowObserver) {
        observers.removeAll { $0.observer == nil || $0.observer === observer }
    }
}

/// An observer of row changes as they are folded, durable or not.
package protocol RowObserver: AnyObject {
    /// Called after a row changed; the store already holds the new row.
    ///
    /// - Parameter change: the change, valid until this returns.
    func rowChanged(_ change: borrowing RowChange)
    /// Called after rows changed of which it is unknown which: some of the last changes were rolled back, or too many rows
    /// changed at once.
    func rowsRolledBack()
}
