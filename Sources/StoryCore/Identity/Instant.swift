/// A moment in UTC, to the millisecond, from year 0000 to 9999.
///
/// Text is RFC 3339: `2026-11-20T12:34:56.789Z`; any offset is read, UTC is written.
@usableFromInline
package struct Instant: BitwiseCopyable, Hashable, Comparable, Sendable {
    /// The milliseconds of 0000-01-01T00:00:00.000Z … 9999-12-31T23:59:59.999Z.
    package static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

    /// Milliseconds since 1970-01-01T00:00:00Z.
    @usableFromInline package let milliseconds: Int64

    /// Creates a moment, clamped to the range, so that a broken clock cannot make a date without a text.
    @usableFromInline package init(milliseconds: Int64) {
        self.milliseconds = min(max(milliseconds, Instant.range.lowerBound), Instant.range.upperBound)
    }

    @inlinable
    package static func < (left: Instant, right: Instant) -> Bool { left.milliseconds < right.milliseconds }
}
