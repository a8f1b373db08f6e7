/// How much work may be done before others have their share.
///
/// It is counted in units of about a microsecond: a record that is looked at costs one, and so do 256 bytes
/// that are written; a key that is counted costs an eighth. A turn has `turnUnits` of them beside its commit.
package struct Budget: Equatable, Sendable {
    /// What all queries and subscriptions together may do in one turn, in units.
    package static let turnUnits = 2_000
    /// What one connection may do before the next one has its share, in units.
    package static let sliceUnits = 250
    /// What looking at a row costs that a filter is tried on, in units: its ID is found by its number, then the row.
    package static let rowUnits = 3
    /// The bytes that cost one unit; counting is done in them.
    private static let unit = 256

    private var left: Int

    package init(units: Int) { left = units * Budget.unit }

    /// What one turn has.
    package static var turn: Budget { Budget(units: turnUnits) }

    /// The units that are left, rounded up; 0 when it is spent.
    package var units: Int { max(0, (left + Budget.unit - 1) / Budget.unit) }

    package var isSpent: Bool { left <= 0 }

    /// One record or row was looked at.
    package mutating func look() { left -= Budget.unit }

    /// So many records or rows were looked at.
    package mutating func look(at count: Int) { left -= count * Budget.unit }

    /// A key was counted, or a subscription passed over without looking at a record.
    package mutating func skip() { left -= Budget.unit / 8 }

    /// So many bytes were written.
    package mutating func write(_ bytes: Int) { left -= bytes }

    /// Takes out what one connection may spend, at most `sliceUnits`; what is left of it is given back by `giveBack`.
    package mutating func slice() -> Budget {
        var slice = Budget(units: 0)
        slice.left = min(left, Budget.sliceUnits * Budget.unit)
        left -= slice.left
        return slice
    }

    /// Gives back what is left of a slice; a slice that was overdrawn is paid for here.
    package mutating func giveBack(_ slice: Budget) { left += slice.left }
}
