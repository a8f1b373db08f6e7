/// Counts durations in buckets, four to each doubling: percentiles to within a quarter, in 2 KiB.
package struct Histogram: Sendable {
    private var buckets = [UInt64](repeating: 0, count: 256)
    package private(set) var count: UInt64 = 0
    package private(set) var sum: UInt64 = 0

    package init() {}

    package mutating func add(_ nanoseconds: UInt64, count times: UInt64 = 1) {
        buckets[Histogram.bucket(nanoseconds)] += times
        count += times
        sum &+= nanoseconds &* times  // Wraps after 584 years of work.
    }

    /// The upper end of the bucket that holds this part of all durations; 0 when there are none.
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
