import TestSupport
import Testing

@testable import storebench

@Suite struct HistogramTests {
    @Test func `Percentiles are those of the sorted latencies, within 1.6 %`() {
        var random = SplitMix64(seed: 7)
        for _ in 0..<50 {
            var histogram = Histogram()
            let latencies = (0..<1_000).map { _ in
                let power = UInt64.random(in: 1...40, using: &random)
                return UInt64.random(in: 1...(1 << power), using: &random)
            }
            for latency in latencies { histogram.record(latency) }
            let sorted = latencies.sorted()
            for part in [0.001, 0.5, 0.9, 0.99, 0.999, 1] {
                let exact = Double(sorted[max(1, Int((1_000 * part).rounded(.up))) - 1]) / 1_000
                let figure = histogram.microseconds(part)
                expect(figure >= exact && figure <= exact * 1.016, "\(part): \(figure), not \(exact)")
            }
            expect(histogram.count == 1_000)
            expect(histogram.longest == sorted.last)
        }
    }

    @Test func `Small latencies are exact`() {
        for nanoseconds in UInt64(0)...127 {
            var histogram = Histogram()
            histogram.record(nanoseconds)
            expect(histogram.microseconds(0.5) == Double(nanoseconds) / 1_000)
        }
    }

    @Test func `What took longer than a limit is counted, give or take a bucket`() {
        var histogram = Histogram()
        for milliseconds in UInt64(1)...100 { histogram.record(milliseconds * 1_000_000) }
        expect(histogram.over(10_300_000) == 90)
        expect(histogram.over(200_000_000) == 0)
    }

    @Test func `The longest time there is has a bucket`() {
        var histogram = Histogram()
        histogram.record(.max)
        expect(histogram.longest == .max)
        expect(histogram.microseconds(1) > 0)
    }

    @Test func `Without latencies there is no percentile`() {
        expect(Histogram().microseconds(0.5) == 0)
    }
}
