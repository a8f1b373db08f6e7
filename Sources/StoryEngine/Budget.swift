/// The work that may be done before others have their share.
///
/// It is counted in units of about a microsecond: looking at a record costs one unit, writing 256 bytes costs one, and
/// counting a key costs an eighth. A turn has `turnUnits` of them beside its commit.
package struct Budget: Equatable, Sendable {
    /// The budget of all queries and subscriptions together in one turn, in units.
    package static let turnUnits = 2_000
    /// The budget of one connection before the next one has its share, in units.
    package static let sliceUnits = 250
    /// The cost of trying a filter on a row, in units: its ID is found by its number, then the row.
    package static let rowUnits = 3
    /// The bytes that cost one unit; the budget is kept in them.
    private static let unit = 256

    private var left: Int

    /// Creates a budget of a number of units.
    package init(units: Int) { left = units * Budget.unit }

    /// The budget of one turn.
    package static var turn: Budget { Budget(units: turnUnits) }

    /// The units that are left, rounded up; 0 when the budget is spent.
    package var units: Int { max(0, (left + Budget.unit - 1) / Budget.unit) }

    /// True when nothing is left.
    package var isSpent: Bool { left <= 0 }

    /// Charges for looking at one record or row.
    package mutating func look() { left -= Budget.unit }

    /// Charges for looking at a number of records or rows.
    package mutating func look(at count: Int) { left -= count * Budget.unit }

    /// Charges for a key that was counted, or a subscription that was passed over without looking at a record.
    package mutating func skip() { left -= Budget.unit / 8 }

    /// Charges for a number of bytes that were written.
    package mutating func write(_ bytes: Int) { left -= bytes }

    /// Takes out the share of one connection, at most `sliceUnits`; `giveBack` returns the rest of it.
    package mutating func slice() -> Budget {
        var slice = Budget(units: 0)
        slice.left = min(left, Budget.sliceUnits * Budget.unit)
        left -= slice.left
        return slice
    }

    /// Returns the rest of a slice; an overdrawn slice is charged here.
    package mutating func giveBack(_ slice: Budget) { left += slice.left }
}
