import StoryStore
import StoryCore
import StoryStorage
import TestSupport
import Testing

@testable import StoryFold

/// Checkpoints of several commits that end in the middle.
struct BrokenCheckpointTests {
    /// Fills the models until a checkpoint of several commits finds no room for the last of them.
    private func breakOff(_ bench: ModelBench) throws -> SortedModel {
        let oracle = SortedModel()
        func put(_ numbers: Range<Int>, _ table: ModelTable, _ value: UInt8) {
            for number in numbers {
                for store in [bench.store, oracle] as [any TableStore] {
                    let value = [UInt8](repeating: value, count: table.isSet ? 0 : 200)
                    store.put(value, in: table, at: Array("\(number)".utf8))
                }
            }
        }
        put(0..<500, .users, 1)
        put(0..<5_000, .usersByDate, 1)
        try bench.checkpoint(at: 1)
        try bench.reopen(mapSize: 1 << 21)
        put(0..<1_000, .users, 2)
        put(4_000..<9_000, .usersByDate, 2)
        for number in 0..<100 {
            for store in [bench.store, oracle] as [any TableStore] {
                store.remove(in: .users, at: Array("\(number)".utf8))
                store.remove(in: .usersByDate, at: Array("\(number * 7)".utf8))
            }
        }
        put(0..<20_000, .photos, 3)
        let checkpoint = bench.store.freeze(at: Position(2))
        let error = failure { () throws(StorageError) in try checkpoint.run(pages: 40) }
        guard case .full = error else {
            Issue.record("not full but \(String(describing: error))")
            return oracle
        }
        bench.store.fail()
        return oracle
    }

    private func expectAll(_ oracle: SortedModel, in bench: ModelBench) {
        for table in [ModelTable.users, .usersByDate, .photos] {
            let isAlike =
                bench.store.visited(table, KeyRange(), .ascending) == oracle.visited(table, KeyRange(), .ascending)
            expect(isAlike, "\(table.name)")
        }
    }

    @Test func `a checkpoint that broke off is written to its end at the next opening`() throws {
        let bench = try ModelBench()
        let oracle = try breakOff(bench)
        expect(Folder.exists(bench.journal))
        expectAll(oracle, in: bench)
        try bench.reopen()
        expect(bench.store.checkpointed == Position(2) && bench.store.renewal == nil)
        expect(bench.store.bufferedEntries == 0 && !Folder.exists(bench.journal))
        expectAll(oracle, in: bench)
        try bench.reopen()
        expect(bench.store.checkpointed == Position(2))
    }

    @Test func `a checkpoint that broke off, with its journal damaged, begins the models anew`() throws {
        for damage in [
            { (bytes: [UInt8]) in Array(bytes.dropLast()) },
            { (bytes: [UInt8]) in bytes.indices.map { bytes[$0] ^ ($0 == 1_000 ? 1 : 0) } },
            { (_: [UInt8]) in [] },
        ] {
            let bench = try ModelBench()
            _ = try breakOff(bench)
            RawFile.write(damage(RawFile.read(bench.journal)), bench.journal)
            try bench.reopen()
            expect(bench.store.renewal?.contains("journal") == true)
            expect(bench.store.checkpointed == .zero)
            expect(bench.store.visited(.users, KeyRange(), .ascending).isEmpty)
        }
    }

    @Test func `a checkpoint that broke off is taken up by the next one as well`() throws {
        let bench = try ModelBench()
        let oracle = try breakOff(bench)
        let before = oracle.copy()
        for table in [ModelTable.photos, .users] {
            for number in 500..<20_000 {
                for store in [bench.store, oracle] as [any TableStore] {
                    store.remove(in: table, at: Array("\(number)".utf8))
                }
            }
        }
        let checkpoint = bench.store.freeze(at: Position(3))
        // It fits now, or breaks off again, before its journal was written or after: how many pages a commit takes
        // depends on where memory lies. Whatever it is, the models are a whole fold.
        if failure(of: { () throws(StorageError) in try checkpoint.run(pages: 40) }) == nil {
            try bench.store.finish()
        } else {
            bench.store.fail()
        }
        expectAll(oracle, in: bench)
        try bench.reopen()
        expect(bench.store.renewal == nil)
        expect([Position(2), Position(3)].contains(bench.store.checkpointed))
        expectAll(bench.store.checkpointed == Position(3) ? oracle : before, in: bench)
    }
}
