import StoryServer
import TestSupport
import Testing

@Suite struct HistogramTests {
    @Test(arguments: [0.5, 0.9, 0.99, 0.999, 1])
    func `a percentile is never less than the exact one, and at most a quarter more`(part: Double) {
        var random = SplitMix64(seed: 7)
        var histogram = Histogram()
        var values: [UInt64] = []
        for _ in 0..<5_000 {
            let value = UInt64.random(in: 0...(1 << UInt64.random(in: 1...40, using: &random)), using: &random)
            values.append(value)
            histogram.add(value)
        }
        values.sort()
        let exact = values[Int((Double(values.count) * part).rounded(.up)) - 1]
        let told = histogram.percentile(part)
        expect(told >= exact)
        expect(told <= exact + exact / 4, "\(told) for \(exact)")
    }

    @Test func `it counts and adds up, and an empty one answers 0`() {
        var histogram = Histogram()
        expect(histogram.percentile(0.99) == 0)
        for value: UInt64 in [1, 2, 3] { histogram.add(value) }
        expect(histogram.count == 3)
        expect(histogram.sum == 6)
        expect(histogram.percentile(0.5) == 2)
    }

    @Test func `the greatest durations have a place, too`() {
        var histogram = Histogram()
        histogram.add(.max)
        expect(histogram.percentile(1) == .max)
    }

    @Test func `a duration counts up to the power of four that it does not pass`() {
        for power in 0..<Histogram.powers {
            let end = 1_000 * (UInt64(1) << UInt64(2 * power))
            for (value, first) in [(end - 1, power), (end, power), (end + 1, power + 1)] {
                var histogram = Histogram()
                histogram.add(value)
                let counts = histogram.cumulative(powers: Histogram.powers)
                expect(counts == (0..<Histogram.powers).map { $0 >= first ? 1 : 0 }, "\(value)")
            }
            expect(Histogram.end(ofPower: power) == Double(end) / 1_000_000_000)
        }
    }
}
