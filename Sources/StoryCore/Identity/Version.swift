/// How many events a stream holds; version N is also the name of its N-th event. 0 is "it does not exist".
@usableFromInline
package struct Version: Hashable, Comparable, Sendable {
    package static let zero = Version(0)

    @usableFromInline package let value: UInt64

    @inlinable package init(_ value: UInt64) { self.value = value }

    /// The version after one more event.
    package var next: Version { Version(value + 1) }

    @inlinable
    package static func < (left: Version, right: Version) -> Bool { left.value < right.value }
}
