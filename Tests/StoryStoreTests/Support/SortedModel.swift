import StoryCore
import TestSupport
import Testing

@testable import StoryFold

/// The keys from `lower` on, before `upper`; nil: without end.
struct KeyRange {
    var lower: [UInt8] = []
    var upper: [UInt8]?

    init(lower: [UInt8] = [], upper: [UInt8]? = nil) {
        self.lower = lower
        self.upper = upper
    }

    /// Every key that begins with these bytes.
    init(prefix: [UInt8]) { self.init(lower: prefix, upper: prefix.prefixEnd) }
}

/// The slow and obvious model store: a dictionary a table, sorted at each scan. The oracle of the fast ones.
final class SortedModel: TableStore {
    var checkpointed: Position { .zero }
    private(set) var tables: [UInt8: [[UInt8]: [UInt8]]] = [:]

    func copy() -> SortedModel {
        let copy = SortedModel()
        copy.tables = tables
        return copy
    }

    func put(_ value: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) {
        tables[table, default: [:]][Array(key)] = Array(value)
    }

    func remove(in table: UInt8, at key: UnsafeRawBufferPointer) { tables[table]?[Array(key)] = nil }

    func add(_ change: Int64, in table: UInt8, at key: UnsafeRawBufferPointer) {
        var count: Int64 = 0
        for byte in tables[table]?[Array(key)] ?? [] { count = count << 8 | Int64(byte) }
        count += change
        let bytes = withUnsafeBytes(of: count.bigEndian) { [UInt8]($0.suffix(6)) }
        tables[table, default: [:]][Array(key)] = count > 0 ? bytes : nil
    }

    func append(_ bytes: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) -> Int {
        let value = (tables[table]?[Array(key)] ?? []) + Array(bytes)
        tables[table, default: [:]][Array(key)] = value
        return value.count
    }

    func withValue(
        _ table: UInt8, at key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) -> Bool {
        guard let value = tables[table]?[Array(key)] else { return false }
        value.withUnsafeBytes(body)
        return true
    }

    func walk(
        _ table: UInt8, _ range: KeyBounds, _ order: Order, isProving: Bool,
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) {
        let (lower, upper) = (Array(range.lower), range.upper.map { Array($0) })
        let inside = (tables[table] ?? [:]).filter { entry in
            !entry.key.lexicographicallyPrecedes(lower)
                && upper.map { entry.key.lexicographicallyPrecedes($0) } ?? true
        }
        let ascending = inside.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        for entry in order == .ascending ? ascending : ascending.reversed() {
            guard entry.key.withUnsafeBytes({ key in entry.value.withUnsafeBytes { visit(key, $0) } }) else { return }
        }
    }
}

/// What a scan visits, as text to be compared.
struct Visited: Equatable {
    let key: [UInt8]
    let value: [UInt8]
}

extension TableStore {
    func visited(_ table: ModelTable, _ range: KeyRange, _ order: Order, limit: Int = .max) -> [Visited] {
        var visited: [Visited] = []
        guard limit > 0 else { return visited }
        scan(table, from: range.lower, to: range.upper, order) { key, value in
            visited.append(Visited(key: key, value: value))
            return visited.count < limit
        }
        return visited
    }
}

/// Seeded operations on two stores at once, compared with one another.
struct StoreFuzzer {
    static let tables: [ModelTable] = [.users, .usersByDate, .keys]
    var random: SplitMix64

    init(_ seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Few different keys, so that operations meet; some share a beginning, some are very long.
    mutating func key() -> [UInt8] {
        let count = Int.random(in: 1...4, using: &random)
        let bytes: [UInt8] = [0x00, 0x01, 0x61, 0xFF]
        var key = (0..<count).map { _ in bytes.randomElement(using: &random) ?? 0 }
        if Int.random(in: 0..<4, using: &random) == 0 { key += Array(repeating: 0x61, count: 9) }
        if Int.random(in: 0..<64, using: &random) == 0 { key += Array(repeating: 0x62, count: 480) }
        return key
    }

    mutating func value() -> [UInt8] {
        let count = [0, 1, 8, 40, 300, 5_000].randomElement(using: &random) ?? 0
        return (0..<count).map { (index: Int) -> UInt8 in UInt8(truncatingIfNeeded: index + count) }
    }

    /// Says that a key is looked up soon, which may be so or not.
    private mutating func expectSorted(_ stores: [any TableStore]) {
        let (table, key) = (StoreFuzzer.tables.randomElement(using: &random) ?? .users, key())
        for store in stores { key.withBytes { store.prefetch(table.number, at: $0) } }
    }

    mutating func change(_ stores: [any TableStore]) {
        if random.oneIn(4) { expectSorted(stores) }
        if random.oneIn(5) { return write(stores) }
        let table = StoreFuzzer.tables.randomElement(using: &random) ?? .users
        let (key, value) = (key(), table.isSet ? [] : value())
        let isRemoval = Int.random(in: 0..<3, using: &random) == 0
        for store in stores {
            if isRemoval { store.remove(in: table, at: key) } else { store.put(value, in: table, at: key) }
        }
    }

    /// Has the stores take in a batch; its keys may meet one another.
    private mutating func write(_ stores: [any TableStore]) {
        let value = value()
        value.withBytes { value in
            var batch = WriteBatch()
            for _ in 0..<Int.random(in: 0...40, using: &random) {
                let table = StoreFuzzer.tables.randomElement(using: &random) ?? .users
                let (bytes, put) = (key(), WriteBatch.Action.put(table.isSet ? .none : value))
                let added = batch.addKey { key in
                    bytes.withBytes { key.add($0) }
                    return true
                }
                guard let key = added else { continue }
                batch.add(random.oneIn(3) ? .remove : put, in: table.number, at: key)
            }
            for store in stores { #expect(throws: Never.self) { try store.write(batch) } }
        }
    }

    mutating func range() -> KeyRange {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: KeyRange()
        case 1: KeyRange(prefix: key())
        case 2: KeyRange(lower: key())
        case 3: KeyRange(lower: [], upper: key())
        default: KeyRange(lower: key(), upper: key())
        }
    }

    /// Compares what both answer to a random reading.
    mutating func compare(
        _ store: any TableStore, _ oracle: any TableStore, _ source: SourceLocation = #_sourceLocation
    ) {
        let isAlike = agree(store, oracle)
        expect(isAlike, sourceLocation: source)
    }

    /// True when both have the same at several keys of several tables.
    private mutating func agreeOnBatch(_ store: any TableStore, _ oracle: any TableStore) -> Bool {
        var batch = KeyBatch()
        var expected: [[UInt8]?] = []
        for _ in 0..<Int.random(in: 0...KeyBatch.capacity, using: &random) {
            let (table, key) = (StoreFuzzer.tables.randomElement(using: &random) ?? .users, key())
            key.withBytes { batch.add($0, in: table.number) }
            expected.append(oracle.value(in: table, at: key))
        }
        var found: [[UInt8]?] = []
        #expect(throws: Never.self) {
            try store.withValues(at: batch) { index, value in
                expect(index == found.count)
                found.append(value.map { Array($0) })
            }
        }
        return found == expected
    }

    private mutating func agree(_ store: any TableStore, _ oracle: any TableStore) -> Bool {
        let table = StoreFuzzer.tables.randomElement(using: &random) ?? .users
        if random.oneIn(3) { return agreeOnBatch(store, oracle) }
        if Bool.random(using: &random) {
            let key = key()
            if random.oneIn(3) { key.withBytes { store.prefetch(table.number, at: $0) } }
            if random.oneIn(8) { expectSorted([store]) }
            return store.value(in: table, at: key) == oracle.value(in: table, at: key)
        }
        let (range, limit) = (range(), [1, 3, Int.max].randomElement(using: &random) ?? 1)
        let order: Order = Bool.random(using: &random) ? .ascending : .descending
        return store.visited(table, range, order, limit: limit) == oracle.visited(table, range, order, limit: limit)
    }
}
