import StoryCore
import TestSupport
import Testing

@testable import StoryLog

/// The ranges of masked events beside a plain list of them.
struct ErasureMaskTests {
    private static func ranges(_ random: inout SplitMix64, upTo last: UInt64) -> [ClosedRange<Position>] {
        var (ranges, next) = ([ClosedRange<Position>](), UInt64.random(in: 1...9, using: &random))
        while next <= last {
            let end = next + (random.oneIn(2) ? 0 : UInt64.random(in: 0...9, using: &random))
            ranges.append(Position(next)...Position(end))
            next = end + 1 + (random.oneIn(3) ? 0 : UInt64.random(in: 0...30, using: &random))
        }
        return ranges
    }

    @Test(arguments: 1...100) func `each event that an order names is masked once`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var mask = ErasureMask()
        var plain: Set<UInt64> = []
        for number in 1...4 as ClosedRange<UInt64> {
            let ranges = ErasureMaskTests.ranges(&random, upTo: .random(in: 1...400, using: &random))
            mask.add(ranges, by: Position(10_000 + number), dropsLabels: random.oneIn(2))
            plain.formUnion(ranges.flatMap { $0.lowerBound.value...$0.upperBound.value })
            expect(mask.positions.map(\.value) == plain.sorted())
        }
    }

    @Test func `as many single events as one erasure takes, in two orders`() {
        var mask = ErasureMask()
        let positions = (1...100_000 as ClosedRange<UInt64>).map { Position(2 * $0)...Position(2 * $0) }
        mask.add(Array(positions[..<50_000]), by: Position(300_001), dropsLabels: false)
        mask.add(Array(positions[50_000...]), by: Position(300_002), dropsLabels: false)
        mask.add(positions, by: Position(300_003), dropsLabels: true)
        expect(mask.positions.map(\.value) == positions.map(\.lowerBound.value))
    }
}
