import StoryCore
import StoryStorage
import TestSupport
import Testing

@testable import StoryFold
@testable import StoryStore

/// The order of a buffer's keys, made piece by piece as walks ask for it.
struct LazySortedKeysTests {
    private static func key(_ number: UInt64) -> [UInt8] {
        var key = KeyBuffer()
        key.set(number)
        return Array("u1".utf8) + [0] + Array(key.bytes)
    }

    private static func withBounds<Result>(_ range: KeyRange, _ body: (KeyBounds) -> Result) -> Result {
        range.lower.withBytes { lower in
            guard let upper = range.upper else { return body(KeyBounds(lower: lower, upper: nil)) }
            return upper.withBytes { body(KeyBounds(lower: lower, upper: $0)) }
        }
    }

    /// What a walk through one range visits, at most so many entries.
    private func visited(
        _ buffer: Memtable, _ range: KeyRange, _ order: Order, limit: Int
    ) -> [[UInt8]] {
        LazySortedKeysTests.withBounds(range) { bounds in
            var found: [[UInt8]] = []
            guard var walk = MemtableWalk(buffer, bounds, order) else { return found }
            while found.count < limit, let key = walk.key {
                found.append(Array(key))
                walk.advance()
            }
            return found
        }
    }

    @Test(arguments: 1...2 as ClosedRange<UInt64>)
    func `walks between writes visit what a sorted list has`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let buffer = Memtable()
        var keys: Set<UInt64> = []
        for _ in 1...40 {
            let isMany = UInt64.random(in: 0..<4, using: &random) == 0
            for _ in 0..<UInt64.random(in: 1...(isMany ? 4_000 : 60), using: &random) {
                let number = UInt64.random(in: 0..<50_000, using: &random)
                LazySortedKeysTests.key(number).withBytes { key in [1].withBytes { buffer.put($0, at: key) } }
                keys.insert(number)
            }
            let sorted = keys.sorted()
            for _ in 1...4 {
                let lower = UInt64.random(in: 0..<50_000, using: &random)
                let upper = random.pick(nil, lower + UInt64.random(in: 0..<5_000, using: &random))
                let range = KeyRange(lower: LazySortedKeysTests.key(lower), upper: upper.map(LazySortedKeysTests.key))
                let inside = sorted.filter { $0 >= lower && $0 < upper ?? .max }
                let limit = random.pick(1, 50, 700, 100_000)
                expect(
                    visited(buffer, range, .ascending, limit: limit)
                        == inside.prefix(limit).map(LazySortedKeysTests.key))
                expect(
                    visited(buffer, range, .descending, limit: limit)
                        == inside.reversed().prefix(limit).map(LazySortedKeysTests.key))
            }
        }
        expect(visited(buffer, KeyRange(), .ascending, limit: .max) == keys.sorted().map(LazySortedKeysTests.key))
        expect(buffer.order.bytes < 16 * keys.count)
    }

    @Test func `a walk inside a walk does not disturb it`() {
        let buffer = Memtable()
        for number in 0..<3_000 as Range<UInt64> {
            LazySortedKeysTests.key(number &* 7_919 % 3_000).withBytes { key in
                [1].withBytes { buffer.put($0, at: key) }
            }
        }
        LazySortedKeysTests.withBounds(KeyRange()) { bounds in
            guard var outer = MemtableWalk(buffer, bounds, .ascending) else { return }
            var number: UInt64 = 0
            while let key = outer.key {
                expect(Array(key) == LazySortedKeysTests.key(number))
                let other = KeyRange(lower: LazySortedKeysTests.key(number &* 31 % 3_000))
                _ = visited(buffer, other, number % 2 == 0 ? .ascending : .descending, limit: 3)
                outer.advance()
                number += 1
            }
            expect(number == 3_000)
        }
    }
}
