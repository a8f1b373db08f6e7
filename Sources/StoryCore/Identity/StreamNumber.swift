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
