import StoryCore
import StoryStorage
import StoryStore
import TestSupport
import Testing

@testable import StoryFold

/// Pages of the stored models that change after their first use, which compared them with their checksums.
struct LaterDamageTests {
    private static let count = 3_000
    /// A key on a page that the tests change.
    private static let changed = 1_500

    private static func key(_ number: Int) -> [UInt8] { Array("key-\(100_000 + number)".utf8) }

    /// Models with a table of values and a set, whose pages were all used.
    private static func used() throws -> ModelBench {
        let bench = try ModelBench()
        for number in 0..<count {
            bench.store.put([UInt8](repeating: 7, count: 100), in: .users, at: key(number))
            bench.store.put([], in: .usersByDate, at: key(number))
        }
        try bench.checkpoint(at: 1)
        try bench.reopen()
        for table in [ModelTable.users, .usersByDate] {
            expect(bench.store.visited(table, KeyRange(), .ascending).count == count)
        }
        return bench
    }

    /// Gives the key on its page other bytes, so that a search does not find it.
    private static func change(_ bench: ModelBench) throws {
        let (path, key) = (bench.folder.store + "/models/data.mdb", key(changed))
        let bytes = RawFile.read(path)
        let start = try require(
            bytes.indices.dropLast(key.count).last {
                bytes[$0] == key[0] && bytes[$0..<$0 + key.count].elementsEqual(key) && bytes[$0 + key.count] == 7
            })
        RawFile.patch(path, at: start + key.count - 1, 0x21)
    }

    private static func isThere(_ number: Int, _ bench: ModelBench, _ table: ModelTable) throws(StorageError) -> Bool {
        try key(number).withBytes { (key) throws(StorageError) in
            try bench.store.withProvenValue(table.number, at: key) { _ in }
        }
    }

    @Test func `what a write rests on is not believed of a page that changed since, and damage is noted`() throws {
        let bench = try Self.used()
        expect(try Self.isThere(Self.changed, bench, .users) && Self.isThere(Self.changed, bench, .usersByDate))
        expect(try !Self.isThere(Self.count, bench, .users) && !Self.isThere(Self.count, bench, .usersByDate))
        try Self.change(bench)
        expect(bench.store.value(in: .users, at: Self.key(Self.changed)) == nil, "the page was compared before")
        expect(bench.store.damage == nil)
        // One that is in memory rests on no page.
        bench.store.put([1], in: .users, at: Self.key(Self.changed + 1))
        expect(try Self.isThere(Self.changed + 1, bench, .users) && bench.store.damage == nil)
        let error = failure { () throws(StorageError) in try Self.isThere(Self.changed, bench, .users) }
        expect(error?.isCorrupt == true && error == bench.store.damage, "\(String(describing: error))")
        expect(try Self.isThere(5, bench, .users) && !Self.isThere(Self.count, bench, .users), "other pages are whole")
    }

    @Test func `each turn compares again what its writes rest on`() throws {
        let bench = try Self.used()
        for table in [ModelTable.users, .usersByDate] {
            bench.store.turnEnded()
            expect(try Self.isThere(Self.changed, bench, table))
        }
        try Self.change(bench)
        bench.store.turnEnded()
        let error = failure { () throws(StorageError) in try Self.isThere(Self.changed, bench, .users) }
        expect(error?.isCorrupt == true && error == bench.store.damage, "\(String(describing: error))")
        let again = failure { () throws(StorageError) in try Self.isThere(Self.changed, bench, .users) }
        expect(again == error, "damage that was found is met in the same turn")
    }

    @Test func `a key that is looked up in advance is proven as well`() throws {
        let bench = try Self.used()
        try Self.change(bench)
        Self.key(Self.changed).withBytes { bench.store.prefetch(ModelTable.users.number, at: $0) }
        let error = failure { () throws(StorageError) in try Self.isThere(Self.changed, bench, .users) }
        expect(error?.isCorrupt == true && bench.store.damage != nil)
    }

    @Test func `a checkpoint compares again what the loop has compared in the same turn`() throws {
        let bench = try Self.used()
        bench.store.turnEnded()
        expect(try Self.isThere(Self.changed, bench, .users))
        try Self.change(bench)
        bench.store.put([1], in: .users, at: Self.key(Self.changed + 1))
        let checkpoint = bench.store.freeze(at: Position(2))
        let error = failure { () throws(StorageError) in try checkpoint.run() }
        expect(error?.isCorrupt == true && error == bench.store.damage, "\(String(describing: error))")
        bench.store.fail()
    }

    @Test func `a page that a checkpoint copies is compared again, so that no damage gets a checksum`() throws {
        let bench = try Self.used()
        try Self.change(bench)
        bench.store.put([1], in: .users, at: Self.key(Self.changed + 1))
        let checkpoint = bench.store.freeze(at: Position(2))
        let error = failure { () throws(StorageError) in try checkpoint.run() }
        expect(error?.isCorrupt == true && error == bench.store.damage, "\(String(describing: error))")
        bench.store.fail()
        try bench.reopen()
        expect(bench.store.renewal != nil)
    }

    /// A change of bytes of used models that a checkpoint would trust.
    enum Trusted: CaseIterable {
        /// The headers and offsets of all pages of trees.
        case headers
        /// The record of the list of free pages, and the number of the last page, on the newest first page.
        case freeRecord, lastPage
        /// The numbers of free pages.
        case freePages
    }

    @Test(arguments: Trusted.allCases) func `a checkpoint writes nothing where bytes changed that LMDB trusts`(
        _ trusted: Trusted
    ) throws {
        let bench = try Self.used()
        // The newest commit freed pages.
        bench.store.put([2], in: .users, at: Self.key(3))
        try bench.checkpoint(at: 2)
        for number in stride(from: 0, to: Self.count, by: 50) {
            bench.store.remove(in: .users, at: Self.key(number))
            bench.store.put([1], in: .users, at: Self.key(number + 1))
            bench.store.remove(in: .usersByDate, at: Self.key(number))
        }
        let path = bench.folder.store + "/models/data.mdb"
        let bytes = RawFile.read(path)
        let newest = bytes.number(at: 144, as: UInt64.self) > bytes.number(at: 4_096 + 144, as: UInt64.self) ? 0 : 4_096
        switch trusted {
        case .headers:
            for page in stride(from: 2 * 4_096, to: bytes.count, by: 4_096) {
                for offset in 12..<32 { RawFile.patch(path, at: page + offset, bytes[page + offset] ^ 0xA5) }
            }
        case .freeRecord: RawFile.patch(path, at: newest + 44, bytes[newest + 44] ^ 0x10)
        case .lastPage: RawFile.patch(path, at: newest + 143, 0x7F)
        case .freePages:
            let root = Int(bytes.number(at: newest + 40 + 40, as: UInt64.self)) * 4_096
            RawFile.patch(path, at: root + 4_095, bytes[root + 4_095] ^ 0x40)
        }
        let checkpoint = bench.store.freeze(at: Position(3))
        let error = failure { () throws(StorageError) in try checkpoint.run() }
        expect(error?.isCorrupt == true && error == bench.store.damage, "\(String(describing: error))")
        bench.store.fail()
        expect(bench.store.storedBytes > 0)
        try bench.reopen()
        expect(bench.store.renewal != nil)
    }

    @Test func `a scrub comes round all pages, finds the one that changed, and leaves what commits change meanwhile`()
        throws
    {
        let bench = try Self.used()
        let scrub = try require(bench.store.scrub)
        /// Compares all pages, some at a time; the number of steps.
        func round(_ between: (Int) throws -> Void = { _ in }) throws -> Int {
            var (page, steps) = (UInt64(0), 0)
            while let next = try scrub.step(from: page, count: 4) {
                (page, steps) = (next, steps + 1)
                try between(steps)
            }
            return steps
        }
        expect(try round() > 10)
        var position: UInt64 = 1
        let steps = try round { step in
            guard step < 10 else { return }
            for number in stride(from: step, to: Self.count, by: 7) {
                bench.store.put([UInt8(step)], in: .users, at: Self.key(number))
            }
            position += 1
            try bench.checkpoint(at: position)
        }
        // Commits free the pages in front, which a step passes over.
        expect(position > 2 && bench.store.damage == nil, "\(steps) steps")
        let path = bench.folder.store + "/models/data.mdb"
        // Some of the pages are free.
        let bytes = RawFile.read(path)
        for place in stride(from: 2 * 4_096 + 2_000, to: RawFile.size(path), by: 4_096) {
            RawFile.patch(path, at: place, bytes[place] ^ 4)
        }
        let error = failure { () throws(StorageError) in
            var page = UInt64(0)
            while let next = try scrub.step(from: page, count: 4) { page = next }
        }
        expect(error?.isCorrupt == true && error == bench.store.damage, "\(String(describing: error))")
        bench.store.close()
    }
}
