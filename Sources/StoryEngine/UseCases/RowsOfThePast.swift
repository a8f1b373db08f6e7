package import StoryCore
import StoryModels

/// The result of finding a row's state after an event.
package enum FoundUpdate {
    /// The event belongs to no kind.
    case none
    /// The budget was spent before the state was known.
    case unknown
    case update(RowUpdate)
}

/// A cache of durable rows that the models are ahead of: each event of a row is folded once, however often the row is
/// asked for.
package final class DurableRows {
    /// The greatest number of finished rows that are kept.
    private static let maxFound = 1_024

    private var rows: [UInt64: DurableRow] = [:]

    /// Creates an empty cache.
    package init() {}

    /// Returns the row of a stream with this number, or begins it.
    func row(_ stream: UInt64, or begin: () -> DurableRow) -> DurableRow {
        if let known = rows[stream] { return known }
        // A subscription waits for each unfinished row, so there are no more of those than subscriptions.
        if rows.count >= DurableRows.maxFound { rows = rows.filter { !$0.value.isFound } }
        let row = begin()
        rows[stream] = row
        return row
    }

    /// Drops a row: the models have its durable state.
    func forget(_ stream: UInt64) { if !rows.isEmpty { rows[stream] = nil } }

    /// Drops all rows after a rollback, since the numbers of their streams may be given to others.
    package func removeAll() { rows = [:] }
}

/// A row after the events up to a durable position. A long history is folded in steps, and continued when more is
/// durable.
final class DurableRow {
    private var history: HistoryFold
    private var through = Position.zero
    private(set) var isFound = true

    init(_ history: HistoryFold) { self.history = history }

    /// Returns the row after the events up to a durable position, which is not before `event`.
    ///
    /// - Returns: nil if the budget was spent first.
    /// - Throws: the error of the read.
    func state(
        of head: StreamHead, since event: Position, through durable: Position, _ budget: inout Budget
    ) throws(StorageError) -> RowState? {
        // The target is fixed until it is reached, however much becomes durable meanwhile.
        if isFound || through < event { through = durable }
        history.goOn(to: head, through: through)
        isFound = try history.fold(&budget)
        return isFound ? history.state : nil
    }
}

/// A row after the events up to a position. A long history is folded in steps, between which it does not change.
package final class EarlierRow {
    private var history: HistoryFold?
    /// The row once it is known; nil if there was none.
    package private(set) var row: RowCopy?

    /// Creates an earlier row that is known at once.
    init(_ row: RowCopy?) { self.row = row }

    /// Creates an earlier row that `find` folds.
    ///
    /// - Parameter history: a fold of the events up to the position.
    init(_ history: HistoryFold) { self.history = history }

    /// Continues the fold, as far as the budget goes.
    ///
    /// - Returns: true once the row is known.
    /// - Throws: the error of the read.
    package func find(_ budget: inout Budget) throws(StorageError) -> Bool {
        guard try history?.fold(&budget) ?? true else { return false }
        row = history?.row ?? row
        history = nil
        return true
    }
}
