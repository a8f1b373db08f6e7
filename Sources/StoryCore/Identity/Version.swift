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
