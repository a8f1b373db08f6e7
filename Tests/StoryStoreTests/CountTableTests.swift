import StoryCore
import Testing
import TestSupport

@testable import StoryStore

struct CountTableTests {
    /// A table and a key, as one for a dictionary.
    private struct Place: Hashable {
        let table: UInt8
        let key: [UInt8]
    }

    @Test(arguments: [1, 2, 3])
    func `it counts as a dictionary does`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let table = CountTable()
        var expected: [Place: Int64] = [:]
        for _ in 0..<30_000 {
            let count = Int.random(in: 1...12, using: &random)
            let key = (0..<count).map { _ in random.pick(UInt8(0), 1, 0x61, 0xFF) }
            let place = Place(table: random.pick(UInt8(1), 49), key: key)
            let change: Int64 = random.oneIn(3) ? -1 : 1
            key.withUnsafeBytes { table.add(change, place.table, $0, mark: ModelDigest.mark(place.table, $0)) }
            expected[place, default: 0] += change
        }
        var found: [Place: Int64] = [:]
        table.visit { count, table, key, _ in found[Place(table: table, key: Array(key))] = count }
        expect(found == expected.filter { $0.value != 0 })
    }

    @Test func `marks are a set, few or many`() {
        var random = SplitMix64(seed: 8)
        var marks = MarkSet()
        var expected: Set<UInt64> = []
        for _ in 0..<5_000 {
            let mark = UInt64.random(in: 0..<120, using: &random)
            if random.oneIn(3) {
                expect(marks.remove(mark) == (expected.remove(mark) != nil))
            } else {
                expect(marks.insert(mark) == expected.insert(mark).inserted)
            }
            guard random.oneIn(500) else { continue }
            marks.clear()
            expected = []
        }
    }

    @Test func `a mark that is there twice is found`() {
        let marks = (0..<5_000).map { UInt64($0) << 32 | 7 }
        expect(MarkSet.areDistinct([]))
        expect(MarkSet.areDistinct(marks))
        expect(!MarkSet.areDistinct(marks + [marks[17]]))
        expect(!MarkSet.areDistinct([0, 0]))
    }
}
