/// Latencies in nanoseconds, in HDR buckets: 64 to each power of two, so a figure is off by 1.6 % at most.
struct Histogram {
    private static let precision = 6
    private var buckets = [UInt64](repeating: 0, count: 64 << Histogram.precision)
    private(set) var count = 0
    private(set) var longest: UInt64 = 0

    mutating func record(_ nanoseconds: UInt64) {
        buckets[Histogram.bucket(nanoseconds)] += 1
        count += 1
        longest = max(longest, nanoseconds)
    }

    /// The latency that this part of all were within, in microseconds; `part` is 0…1.
    func microseconds(_ part: Double) -> Double {
        var left = max(1, Int((Double(count) * part).rounded(.up)))
        for (index, amount) in buckets.enumerated() where amount > 0 {
            left -= Int(amount)
            if left <= 0 { return Double(min(Histogram.top(index), longest)) / 1_000 }
        }
        return 0
    }

    /// How many took longer than this, in nanoseconds, give or take a bucket.
    func over(_ nanoseconds: UInt64) -> Int {
        Int(buckets[(Histogram.bucket(nanoseconds) + 1)...].reduce(0, +))
    }

    private static func bucket(_ value: UInt64) -> Int {
        let power = 63 - max(value, 1).leadingZeroBitCount
        guard power > precision else { return Int(value) }
        let shift = power - precision
        return ((shift + 1) << precision) + Int(value >> UInt64(shift)) - (1 << precision)
    }

    private static func top(_ bucket: Int) -> UInt64 {
        guard bucket >= 2 << precision else { return UInt64(bucket) }
        let shift = bucket >> precision - 1
        let within = bucket & ((1 << precision) - 1)
        // The last bucket's end is 2^64, which wraps to the largest number there is.
        return (UInt64((1 << precision) + within + 1) << UInt64(shift)) &- 1
    }
}
