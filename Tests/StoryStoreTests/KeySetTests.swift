import StoryCore
import StoryStorage
import TestSupport
import Testing

@testable import StoryFold
@testable import StoryStore

/// Sets of keys as they are stored: in blocks.
struct KeySetTests {
    private static let table = ModelTable.usersByDate

    /// A stored set, and what it has to hold.
    private struct Pair {
        let bench: ModelBench
        private(set) var keys: Set<[UInt8]> = []
        private var position: UInt64 = 0

        init() throws { bench = try ModelBench() }

        mutating func put(_ key: [UInt8]) {
            bench.store.put([], in: table, at: key)
            keys.insert(key)
        }

        mutating func remove(_ key: [UInt8]) {
            bench.store.remove(in: table, at: key)
            keys.remove(key)
        }

        mutating func checkpoint() throws {
            position += 1
            try bench.checkpoint(at: position)
        }

        func sorted() -> [[UInt8]] { keys.sorted { $0.lexicographicallyPrecedes($1) } }

        /// Compares what walks of some ranges visit, from both ends, with what is there.
        func expectAlike(_ ranges: [KeyRange] = [KeyRange()], _ source: SourceLocation = #_sourceLocation) {
            let keys = sorted()
            for range in ranges {
                let first = keys.lowerBound(range.lower)
                let end = Swift.max(first, range.upper.map { keys.lowerBound($0) } ?? keys.count)
                let inside = Array(keys[first..<end])
                let ascending = bench.store.visited(table, range, .ascending).map(\.key)
                let descending = bench.store.visited(table, range, .descending).map(\.key)
                expect(ascending == inside && descending == inside.reversed(), sourceLocation: source)
            }
        }

        /// The bytes of the pages that the set takes, for each byte of a key in it.
        func pagesPerByte() throws -> Double {
            let size = try bench.snapshot { try $0.size(of: table) }
            return Double(size) / Double(keys.reduce(0) { $0 + $1.count })
        }
    }

    /// As an index has it: a name, and numbers that grow.
    private static func key(_ group: Int, _ number: Int) -> [UInt8] {
        Array("group-\(group)".utf8) + [0] + (0..<6).map { UInt8(truncatingIfNeeded: number >> (40 - 8 * $0)) }
    }

    @Test(arguments: 1...2 as ClosedRange<UInt64>)
    func `a stored set is a sorted set, whatever is put and removed`(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var pair = try Pair()
        let groups = [1, 3, 50, 1_000].randomElement(using: &random) ?? 1
        var next = 0
        for round in 0..<8 {
            for _ in 0..<Int.random(in: 1...1_500, using: &random) {
                let group = Int.random(in: 0..<groups, using: &random)
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<6:
                    next += 1
                    pair.put(KeySetTests.key(group, next))
                case 6..<8: pair.put(KeySetTests.key(group, Int.random(in: 0...next, using: &random)))
                default: pair.remove(KeySetTests.key(group, Int.random(in: 0...next, using: &random)))
                }
            }
            if round % 4 == 3 {
                // A whole group goes, and with it blocks.
                for key in pair.keys where key.starts(with: KeySetTests.key(0, 0).prefix(8)) { pair.remove(key) }
            }
            try pair.checkpoint()
            var ranges = [KeyRange()]
            for _ in 0..<8 {
                let group = Int.random(in: 0..<groups, using: &random)
                let key = KeySetTests.key(group, Int.random(in: 0...next, using: &random))
                ranges += [
                    KeyRange(lower: key), KeyRange(lower: [], upper: key), KeyRange(prefix: Array(key.dropLast(6))),
                ]
                expect((pair.bench.store.value(in: KeySetTests.table, at: key) != nil) == pair.keys.contains(key))
            }
            pair.expectAlike(ranges)
        }
        try pair.bench.reopen()
        pair.expectAlike()
    }

    @Test func `stored keys and newer ones are walked through together`() throws {
        var pair = try Pair()
        for number in 0..<2_000 { pair.put(KeySetTests.key(0, number * 3)) }
        try pair.checkpoint()
        for number in 0..<2_000 {
            pair.put(KeySetTests.key(0, number * 5))
            if number % 7 == 0 { pair.remove(KeySetTests.key(0, number * 3)) }
        }
        pair.expectAlike()
    }

    @Test func `keys of every length, and many that are alike, come back`() throws {
        var pair = try Pair()
        for length in 1...511 {
            pair.put(Array(repeating: 0x61, count: length))
            pair.put(Array(repeating: 0x61, count: length - 1) + [0xFF])
            if length % 64 == 0 { try pair.checkpoint() }
        }
        try pair.checkpoint()
        pair.expectAlike()
        for length in 1...511 where length % 3 > 0 { pair.remove(Array(repeating: 0x61, count: length)) }
        try pair.checkpoint()
        pair.expectAlike()
        for key in pair.keys { pair.remove(key) }
        try pair.checkpoint()
        pair.expectAlike()
        expect(try pair.bench.snapshot { try $0.size(of: KeySetTests.table) } == 0)
    }

    /// LMDB splits a page in the middle, so that what grows in many places is half empty: 26 bytes a key and more here.
    @Test(arguments: [1, 10, 300]) func `what grows in many places is stored close together`(_ groups: Int) throws {
        var pair = try Pair()
        var number = 0
        for _ in 0..<12 {
            for group in 0..<groups {
                for _ in 0..<max(2, 2_000 / groups) {
                    number += 1
                    pair.put(KeySetTests.key(group, number))
                }
            }
            try pair.checkpoint()
        }
        pair.expectAlike()
        // A key has 14 to 16 bytes, of which one or two differ from the one before, and two tell how many.
        let ratio = try pair.pagesPerByte()
        expect(ratio < 0.5, "\(ratio)")
    }

    @Test func `what grows anywhere leaves no more room than a tree does`() throws {
        var random = SplitMix64(seed: 5)
        var pair = try Pair()
        for _ in 0..<20 {
            for _ in 0..<500 { pair.put(KeySetTests.key(0, Int.random(in: 0..<1 << 40, using: &random))) }
            try pair.checkpoint()
        }
        pair.expectAlike()
        // Of 14 bytes, some five differ from the key before.
        let ratio = try pair.pagesPerByte()
        expect(ratio < 0.9, "\(ratio)")
    }

    // MARK: Damage

    /// A block as it is stored, of keys of some lengths.
    private func block(_ random: inout SplitMix64) -> (bytes: [UInt8], keys: Int) {
        var keys = KeyList()
        let count = Int.random(in: 1...200, using: &random)
        let long = Int.random(in: 0..<count, using: &random)
        for number in 0..<count {
            let key = KeySetTests.key(0, number) + Array(repeating: 0x62, count: number == long ? 400 : 0)
            key.withUnsafeBytes { keys.add($0) }
        }
        var segments = KeySegments()
        segments.add(keys, 0..<count)
        var block = KeyBuffer()
        segments.write(0..<segments.count, to: &block)
        return (Array(block.bytes), count)
    }

    @Test func `a damaged block is told, and never read beyond its end`() throws {
        var random = SplitMix64(seed: 11)
        var told = 0
        for _ in 0..<1_000 {
            let (whole, count) = block(&random)
            expect(try walked(whole, .ascending) == count && walked(whole, .descending) == count)
            var bytes = whole
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
            case 1: bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            default:
                for _ in 0..<8 {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] ^=
                        1 << UInt8.random(in: 0..<8, using: &random)
                }
            }
            for order in [Order.ascending, .descending] {
                do throws(StorageError) {
                    // Damage within a key's own bytes cannot be seen here; there may be more or fewer keys.
                    _ = try walked(bytes, order)
                } catch {
                    told += 1
                    guard case .corrupt = error else {
                        Issue.record("not told as damage: \(error)")
                        return
                    }
                }
            }
        }
        expect(told > 300)
    }

    /// How many keys a walk through a block visits. The bytes are in memory of their own, so that a look beyond its end
    /// is found by the tests with an address sanitizer.
    private func walked(_ bytes: [UInt8], _ order: Order) throws(StorageError) -> Int {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { memory.deallocate() }
        memory.copyBytes(from: bytes)
        let walk = KeyBlockWalk(.all, order)
        try walk.enter(UnsafeRawBufferPointer(memory))
        var count = 0
        while walk.key != nil {
            count += 1
            try walk.advance()
        }
        return count
    }
}

extension [[UInt8]] {
    /// The first of sorted keys that does not come before another.
    fileprivate func lowerBound(_ key: [UInt8]) -> Int {
        var (lower, upper) = (0, count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if self[middle].lexicographicallyPrecedes(key) { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }
}
