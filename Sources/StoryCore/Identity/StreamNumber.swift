/// The dense number that the store gives a stream at its first event: 1, 2, 3 … below 2^48.
///
/// Rows and indexes are keyed by it, so that what is posted later stands later and keys stay short.
/// The number of `story-12345` is also the posting order of that story among all stories.
@usableFromInline
package struct StreamNumber: Hashable, Comparable, Sendable {
    @usableFromInline package let value: UInt64

    @inlinable package init(_ value: UInt64) { self.value = value }

    @inlinable
    package static func < (left: StreamNumber, right: StreamNumber) -> Bool { left.value < right.value }
}
