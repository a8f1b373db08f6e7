/// The position of an event in the log: 1, 2, 3 … with no gap, below 2^53; 0 is "before the first".
@usableFromInline
package struct Position: BitwiseCopyable, Hashable, Comparable, Sendable {
    /// The position before the first event.
    package static let zero = Position(0)
    /// The largest position that every JSON reader keeps exactly: 2^53 − 1.
    package static let max = Position(9_007_199_254_740_991)

    /// The position as a number.
    @usableFromInline package let value: UInt64

    /// Creates the position with a number.
    @inlinable package init(_ value: UInt64) { self.value = value }

    /// The position right after this one.
    package var next: Position { Position(value + 1) }

    /// The position right before this one; zero stays zero.
    package var previous: Position { Position(value == 0 ? 0 : value - 1) }

    /// Returns true when `count` events, at least one, have valid positions from `first` on.
    package static func isRun(_ first: UInt64, _ count: Int) -> Bool {
        first > 0 && count > 0 && first <= max.value && UInt64(count) <= max.value - first + 1
    }

    @inlinable
    package static func < (left: Position, right: Position) -> Bool { left.value < right.value }
}
