import StoryStore
import StoryCore
import StoryStorage
import TestSupport
import Testing

@testable import StoryFold

/// Pages of the stored models are compared with their checksums when they are first used, and not before.
struct FirstTouchTests {
    private static let count = 30_000
    private static let pageSize = 4_096

    private static func key(_ number: Int) -> [UInt8] { Array("key-\(100_000 + number)".utf8) }

    /// Models with a table of values and a set, of many pages.
    private static func stored() throws -> ModelBench {
        let bench = try ModelBench()
        for number in 0..<count {
            bench.store.put([UInt8](repeating: 7, count: 100), in: .users, at: key(number))
            bench.store.put([], in: .usersByDate, at: key(number))
        }
        try bench.checkpoint(at: 1)
        try bench.reopen()
        return bench
    }

    private static func data(_ bench: ModelBench) -> String { bench.folder.store + "/models/data.mdb" }

    /// Changes a byte of the leaf page that has a key; the file stays in use.
    private static func damage(_ key: [UInt8], _ bench: ModelBench) throws {
        let bytes = RawFile.read(data(bench))
        let start = try require(
            bytes.indices.dropLast(key.count).last {
                bytes[$0] == key[0] && bytes[$0..<$0 + key.count].elementsEqual(key)
                    && bytes[$0 + key.count] == 7
            })
        RawFile.patch(data(bench), at: start + key.count + 50, 8)
    }

    @Test func `an opening reads a few pages of many, and a look-up those on the way to its key`() throws {
        let bench = try Self.stored()
        expect(bench.store.storedBytes / Self.pageSize > 900)
        let opened = bench.store.verifiedPages
        expect((1...12).contains(opened), "\(opened)")
        expect(bench.store.value(in: .users, at: Self.key(5)) != nil)
        let first = bench.store.verifiedPages - opened
        expect((2...4).contains(first), "\(first)")
        expect(bench.store.value(in: .users, at: Self.key(6)) != nil)
        expect(bench.store.verifiedPages == opened + first, "the same pages are not compared again")
        expect(bench.store.visited(.users, KeyRange(), .descending).count == Self.count)
        expect(bench.store.verifiedPages > 800)
    }

    @Test func `a damaged page is an error of the read that needs it, and the next opening begins the models anew`()
        throws
    {
        let bench = try Self.stored()
        try Self.damage(Self.key(20_000), bench)
        expect(bench.store.value(in: .users, at: Self.key(5)) != nil)
        expect(bench.store.damage == nil)
        try bench.reopen()
        expect(bench.store.renewal == nil, "nothing has read the page yet")
        let error = failure { () throws(StorageError) in
            _ = try Self.key(20_000).withBytes { (key) throws(StorageError) in
                try bench.store.withValue(ModelTable.users.number, at: key) { _ in }
            }
        }
        expect(error?.isCorrupt == true && error == bench.store.damage, "\(String(describing: error))")
        expect(bench.store.value(in: .users, at: Self.key(5)) != nil, "other pages are as they were")
        try bench.reopen()
        expect(bench.store.renewal?.contains("is not the one that was written") == true)
        expect(bench.store.checkpointed == .zero && bench.store.visited(.users, KeyRange(), .ascending).isEmpty)
        try bench.reopen()
        expect(bench.store.renewal == nil)
    }

    @Test(arguments: [true, false]) func `a checkpoint writes nothing where a page that it needs is damaged`(
        isRemoval: Bool
    ) throws {
        let bench = try Self.stored()
        try Self.damage(Self.key(20_000), bench)
        // A removal may read the pages beside those on the way to its key. A page has some 36 of the keys.
        let key = Self.key(isRemoval ? 20_040 : 20_001)
        if isRemoval { bench.store.remove(in: .users, at: key) } else { bench.store.put([1], in: .users, at: key) }
        let checkpoint = bench.store.freeze(at: Position(2))
        let error = failure { () throws(StorageError) in try checkpoint.run() }
        expect(error?.isCorrupt == true && error == bench.store.damage, "\(String(describing: error))")
        bench.store.fail()
        try bench.reopen()
        expect(bench.store.renewal != nil)
    }

    @Test func `a checkpoint that puts and removes values elsewhere does not read the damaged page`() throws {
        let bench = try Self.stored()
        try Self.damage(Self.key(20_000), bench)
        bench.store.put([1], in: .users, at: Self.key(9_000))
        bench.store.remove(in: .users, at: Self.key(11_000))
        bench.store.remove(in: .usersByDate, at: Self.key(11_000))
        try bench.checkpoint(at: 2)
        expect(bench.store.damage == nil && bench.store.verifiedPages < 40, "\(bench.store.verifiedPages)")
    }

    @Test func `pages that a checkpoint has freed are still good for the view before it`() throws {
        let bench = try Self.stored()
        for number in stride(from: 0, to: Self.count, by: 3) {
            bench.store.put([2], in: .users, at: Self.key(number))
            bench.store.remove(in: .usersByDate, at: Self.key(number))
        }
        let checkpoint = bench.store.freeze(at: Position(2))
        try checkpoint.run(pages: 100)
        expect(bench.store.visited(.users, KeyRange(), .ascending).count == Self.count)
        expect(bench.store.visited(.usersByDate, KeyRange(), .ascending).count == Self.count - Self.count / 3)
        try bench.store.finish()
        expect(bench.store.visited(.usersByDate, KeyRange(), .ascending).count == Self.count - Self.count / 3)
        expect(bench.store.failure == nil)
    }
}
