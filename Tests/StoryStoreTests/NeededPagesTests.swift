import Glibc
import StoryCore
import TestSupport
import Testing

@testable import StoryFold
@testable import StoryStorage
@testable import StoryStore

/// The pages that a checkpoint compares before LMDB reads them: all others are made unreadable, so that a page that was
/// forgotten ends the process.
struct NeededPagesTests {
    private static let pageSize = 4_096

    /// Collects the pages in use.
    private final class UsedPages: PageVisitor {
        private(set) var pages: [UInt64] = []

        func enters(_ page: UInt64, _ count: UInt64) -> Bool {
            pages += page..<page + count
            return true
        }
    }

    private static func key(_ number: Int) -> [UInt8] { Array("key-\(100_000 + number)".utf8) }

    /// A key of the set, of which a block has some 70.
    private static func setKey(_ number: Int) -> [UInt8] {
        var random = SplitMix64(seed: UInt64(number))
        return key(number) + (0..<50).map { _ in UInt8.random(in: 97...122, using: &random) }
    }

    /// Changes a table of values and a set: single keys and runs, of which little is left.
    private static func change(_ bench: ModelBench, _ random: inout SplitMix64) {
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            let first = Int.random(in: 0..<5_000, using: &random)
            let count =
                random.oneIn(2) ? Int.random(in: 1...3, using: &random) : Int.random(in: 100...900, using: &random)
            let isRemoval = random.oneIn(2)
            let step = random.oneIn(3) ? Int.random(in: 2...40, using: &random) : 1
            for number in stride(from: first, to: first + count * step, by: step) {
                let size = random.oneIn(40) ? 3_000 : Int.random(in: 0...300, using: &random)
                if isRemoval, !random.oneIn(30) {
                    bench.store.remove(in: .users, at: key(number))
                    bench.store.remove(in: .usersByDate, at: setKey(number))
                } else {
                    bench.store.put([UInt8](repeating: 7, count: size), in: .users, at: key(number))
                    bench.store.put([], in: .usersByDate, at: setKey(number))
                }
            }
        }
    }

    /// Compares what a checkpoint compares; returns the address of page 0.
    private static func prove(_ buffers: MemtableSet, _ models: ModelEnvironment) throws -> UnsafeRawPointer {
        let proven = models.checksums.pages
        let view = try ReadTransaction(models.environment)
        let found = try view.tree(of: ModelTables.metaName, in: models.environment, proven)
        let meta = try require(found)
        _ = try CheckpointRecord.read(meta)
        for table in models.tables.numbers {
            guard let buffer = buffers.filled(table) else { continue }
            let items = SortedKey.sorted(0..<buffer.count, of: buffer)
            try CheckpointWriter.prove(items, buffer, models.tables[table], models.environment, proven)
        }
        return meta.map
    }

    /// Stores the memtables while the pages in use that were not compared cannot be read; returns their number.
    private static func store(_ bench: ModelBench, at position: UInt64, pages limit: Int) throws -> Int {
        let (models, path) = (bench.store.opened, bench.folder.store + "/models/data.mdb")
        let checkpoint = bench.store.freeze(at: Position(position))
        let map = UnsafeMutableRawPointer(mutating: try prove(checkpoint.buffers, models))
        let (walk, used, first) = (try PageWalk(path), UsedPages(), FirstPagesOfAll())
        try walk.run(used)
        try walk.run(first)
        let others = used.pages.filter { !models.checksums.pages.contains($0) && !first.pages.contains($0) }
        for page in others { expect(mprotect(map + Int(page) * pageSize, pageSize, PROT_NONE) == 0) }
        defer { for page in others { mprotect(map + Int(page) * pageSize, pageSize, PROT_READ) } }
        try checkpoint.run(pages: limit)
        return others.count
    }

    /// Collects the pages of the list of free pages and of the main tree, which are compared before each commit.
    private final class FirstPagesOfAll: PageVisitor {
        let wantsTables = false
        private(set) var pages: Set<UInt64> = []

        func enters(_ page: UInt64, _ count: UInt64) -> Bool {
            pages.formUnion(page..<page + count)
            return true
        }
    }

    @Test(arguments: 0..<8) func `LMDB reads no page that was not compared before`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let bench = try ModelBench()
        for number in 0..<5_000 {
            bench.store.put([UInt8](repeating: 7, count: number % 200), in: .users, at: Self.key(number))
            bench.store.put([], in: .usersByDate, at: Self.setKey(number))
        }
        try bench.checkpoint(at: 1)
        var unread = 0
        for position in UInt64(2)..<14 {
            try bench.reopen()
            Self.change(bench, &random)
            unread += try Self.store(bench, at: position, pages: random.oneIn(2) ? 2_048 : 20)
            try bench.store.finish()
            expect(bench.store.damage == nil)
        }
        expect(unread > 100, "\(unread)")
        bench.store.close()
    }
}
