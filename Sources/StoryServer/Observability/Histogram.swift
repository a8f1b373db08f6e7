/// A histogram of durations with four buckets to each doubling: percentiles to within a quarter, in 2 KiB. It also
/// counts by powers of four of a microsecond, for cumulative buckets.
package struct Histogram: Sendable {
    /// The number of power-of-four buckets: from 1 µs to 268 s.
    package static let powers = 15

    private var buckets = [UInt64](repeating: 0, count: 256)
    /// The number of durations in each power-of-four bucket; the last one is for those above all.
    private var byPower = [UInt64](repeating: 0, count: Histogram.powers + 1)
    /// The number of durations.
    package private(set) var count: UInt64 = 0
    /// The sum of the durations, in nanoseconds.
    package private(set) var sum: UInt64 = 0

    /// Makes an empty histogram.
    package init() {}

    /// Adds a duration in nanoseconds.
    package mutating func add(_ nanoseconds: UInt64) {
        buckets[Histogram.bucket(nanoseconds)] += 1
        byPower[Histogram.power(nanoseconds)] += 1
        count += 1
        sum &+= nanoseconds  // Wraps after 584 years of work.
    }

    /// Returns the upper end, in nanoseconds, of the bucket that holds a quantile; 0 when there are no durations.
    package func percentile(_ part: Double) -> UInt64 {
        guard count > 0 else { return 0 }
        let wanted = UInt64((Double(count) * part).rounded(.up))
        var seen: UInt64 = 0
        for (index, bucket) in buckets.enumerated() {
            seen += bucket
            if seen >= wanted { return Histogram.upperEnd(index) }
        }
        return Histogram.upperEnd(buckets.count - 1)
    }

    /// Returns the cumulative counts of the first power-of-four buckets.
    package func cumulative(powers count: Int) -> [UInt64] {
        var sum: UInt64 = 0
        return (0..<count).map { index in
            sum += byPower[index]
            return sum
        }
    }

    /// Returns the upper end of a power-of-four bucket, in seconds.
    package static func end(ofPower power: Int) -> Double { Double(1 << UInt64(2 * power)) / 1_000_000 }

    /// Returns the index of the first power-of-four bucket that is no shorter than the duration.
    private static func power(_ nanoseconds: UInt64) -> Int {
        let microseconds = nanoseconds / 1_000 + (nanoseconds % 1_000 == 0 ? 0 : 1)
        guard microseconds > 1 else { return 0 }
        let bits = 64 - (microseconds - 1).leadingZeroBitCount
        return min((bits + 1) / 2, powers)
    }

    private static func bucket(_ value: UInt64) -> Int {
        guard value >= 4 else { return Int(value) }
        let exponent = 63 - value.leadingZeroBitCount
        let quarter = Int(value >> UInt64(exponent - 2) & 3)
        return min((exponent - 1) * 4 + quarter, 255)
    }

    private static func upperEnd(_ index: Int) -> UInt64 {
        guard index >= 4 else { return UInt64(index) }
        let exponent = index / 4 + 1
        guard exponent < 62 else { return .max }
        return (UInt64(index % 4) + 5) << UInt64(exponent - 2) - 1
    }
}
