package import StoryCore
import StoryModels

/// What an event left of a row, as far as it could be found out.
package enum FoundUpdate {
    /// The event is of no kind.
    case none
    /// The budget was spent before.
    case unknown
    case update(RowUpdate)
}

/// Rows as the durable events made them, while others have changed them in the models: each of their events is folded
/// once, however often they are asked for.
package final class DurableRows {
    /// So many are kept that are found out.
    private static let maxFound = 1_024

    private var rows: [UInt64: DurableRow] = [:]

    package init() {}

    /// The row of a stream with this number.
    func row(_ stream: UInt64, or begin: () -> DurableRow) -> DurableRow {
        if let known = rows[stream] { return known }
        // Each of the others is waited for by a subscription, so that they are not more than those.
        if rows.count >= DurableRows.maxFound { rows = rows.filter { !$0.value.isFound } }
        let row = begin()
        rows[stream] = row
        return row
    }

    /// The models have the row as it is durable.
    func forget(_ stream: UInt64) { if !rows.isEmpty { rows[stream] = nil } }

    /// Events were undone: the numbers of their streams may be given to others.
    package func removeAll() { rows = [:] }
}

/// A row as the events up to a durable one made it. Its history may be long, so it is found out in steps, and gone on with
/// when more is durable.
final class DurableRow {
    private var history: HistoryFold
    private var through = Position.zero
    private(set) var isFound = true

    init(_ history: HistoryFold) { self.history = history }

    /// How the events up to a durable position left the row: to one that is not before `event`.
    ///
    /// - Returns: nil where the budget was spent before that was found out.
    /// - Throws: what reading failed with.
    func state(
        of head: StreamHead, since event: Position, through durable: Position, _ budget: inout Budget
    ) throws(StorageError) -> RowState? {
        // What is being found out has an end, however much becomes durable meanwhile.
        if isFound || through < event { through = durable }
        history.goOn(to: head, through: through)
        isFound = try history.fold(&budget)
        return isFound ? history.state : nil
    }
}

/// A row as the events up to a position made it. Its history may be long, so it is found out in steps; it does not change
/// between them.
package final class EarlierRow {
    private var history: HistoryFold?
    /// The row, once it is known; nil where there was none.
    package private(set) var row: RowCopy?

    /// What is known at once.
    init(_ row: RowCopy?) { self.row = row }

    /// - Parameter history: of the events up to the position.
    init(_ history: HistoryFold) { self.history = history }

    /// Goes on finding it out, as far as the budget goes.
    ///
    /// - Returns: true once it is known.
    /// - Throws: what reading failed with.
    package func find(_ budget: inout Budget) throws(StorageError) -> Bool {
        guard try history?.fold(&budget) ?? true else { return false }
        row = history?.row ?? row
        history = nil
        return true
    }
}
