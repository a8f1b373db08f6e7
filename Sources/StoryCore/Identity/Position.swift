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

/// The number of events in a stream, and thus the number of its newest event; 0 means that the stream does not exist.
@usableFromInline
package struct Version: BitwiseCopyable, Hashable, Comparable, Sendable {
    /// The version of a stream that does not exist.
    package static let zero = Version(0)

    /// The version as a number.
    @usableFromInline package let value: UInt64

    /// Creates the version with a number.
    @inlinable package init(_ value: UInt64) { self.value = value }

    /// The version after one more event.
    package var next: Version { Version(value + 1) }

    @inlinable
    package static func < (left: Version, right: Version) -> Bool { left.value < right.value }
}

/// The dense number that the store gives a stream at its first event: 1, 2, 3 … below 2^48.
///
/// Rows and indexes are keyed by it, so that keys are short and sort in posting order. The number of `story-12345` is
/// also the posting order of that story among all stories.
@usableFromInline
package struct StreamNumber: Hashable, Comparable, Sendable {
    /// The number itself.
    @usableFromInline package let value: UInt64

    /// Creates the stream number with a value.
    @inlinable package init(_ value: UInt64) { self.value = value }

    @inlinable
    package static func < (left: StreamNumber, right: StreamNumber) -> Bool { left.value < right.value }
}
