/// The place of an event in the log: 1, 2, 3 … with no gap, below 2^53; 0 is "before the first".
@usableFromInline
package struct Position: Hashable, Comparable, Sendable {
    package static let zero = Position(0)
    /// The largest position that every JSON reader keeps exactly: 2^53 − 1.
    package static let max = Position(9_007_199_254_740_991)

    @usableFromInline package let value: UInt64

    @inlinable package init(_ value: UInt64) { self.value = value }

    /// The position right after this one.
    package var next: Position { Position(value + 1) }

    /// The position right before this one; zero stays zero.
    package var previous: Position { Position(value == 0 ? 0 : value - 1) }

    /// True when so many events, one at least, can lie from a position on.
    package static func isRun(_ first: UInt64, _ count: Int) -> Bool {
        first > 0 && count > 0 && first <= max.value && UInt64(count) <= max.value - first + 1
    }

    @inlinable
    package static func < (left: Position, right: Position) -> Bool { left.value < right.value }
}
