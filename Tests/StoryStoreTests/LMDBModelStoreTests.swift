import StoryCore
import Synchronization
import TestSupport
import Testing

@testable import StoryStore

struct LMDBModelStoreTests {
    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `it answers as a sorted dictionary, with checkpoints in the middle`(seed: UInt64) throws {
        var fuzzer = StoreFuzzer(seed)
        let bench = try ModelBench()
        var oracle = SortedModel()
        var stored = SortedModel()
        var running: (checkpoint: Checkpoint, oracle: SortedModel)?
        for step in 1...2_000 as ClosedRange<UInt64> {
            fuzzer.change([bench.store, oracle])
            if step % 4 == 0 { fuzzer.compare(bench.store, oracle) }
            switch (Int.random(in: 0..<60, using: &fuzzer.random), running) {
            case (0, nil):
                running = (bench.store.freeze(at: Position(step)), oracle.copy())
            case (1, let begun?):
                try begun.checkpoint.run()
                fuzzer.compare(bench.store, oracle)
                try bench.store.finish()
                (stored, running) = (begun.oracle, nil)
                expect(bench.store.checkpointed == begun.checkpoint.position)
            case (2, .some):
                bench.store.fail()
                running = nil
            case (3, _):
                bench.store.discard()
                if running != nil { bench.store.fail() }
                (oracle, running) = (stored.copy(), nil)
            case (4, _): bench.store.releaseMemory()
            case (5, nil):
                try bench.checkpoint(at: step)
                try bench.store.reopen()
                stored = oracle.copy()
            default: break
            }
        }
        if running != nil { bench.store.fail() }
        try bench.checkpoint(at: 5_000)
        try bench.reopen()
        expect(bench.store.checkpointed == Position(5_000))
        for table in StoreFuzzer.tables {
            for order in [Order.ascending, .descending] {
                expect(bench.store.visited(table, KeyRange(), order) == oracle.visited(table, KeyRange(), order))
            }
        }
        expect(bench.store.failure == nil)
    }

    @Test func `a key that was expected is found as any other, wherever it lies`() throws {
        let bench = try ModelBench()
        let (table, keys) = (ModelTable.keys, (0..<20_000).map { Array("k\($0)".utf8) })
        for key in keys.dropLast(10_000) { bench.store.put(key, in: table, at: key) }
        try bench.checkpoint(at: 1)
        func value(at key: [UInt8], expecting expected: [UInt8]) -> [UInt8]? {
            expected.withBytes { bench.store.prefetch(table.number, at: $0) }
            return bench.store.value(in: table, at: key)
        }
        for index in stride(from: 0, to: keys.count, by: 7) {
            let (key, other) = (keys[index], keys[(index + 9_999) % keys.count])
            let stored = index < 10_000 ? key : nil
            expect(value(at: key, expecting: key) == stored)
            expect(value(at: key, expecting: other) == stored)
        }
        let (stored, fresh) = (keys[5], keys[15_000])
        for key in [stored, fresh] {
            key.withBytes { bench.store.prefetch(table.number, at: $0) }
            bench.store.put([1], in: table, at: key)
            expect(bench.store.value(in: table, at: key) == [1])
        }
        stored.withBytes { bench.store.prefetch(table.number, at: $0) }
        try bench.checkpoint(at: 2)
        expect(bench.store.value(in: table, at: stored) == [1])
    }

    @Test func `what was not checkpointed is gone after opening again`() throws {
        let bench = try ModelBench()
        bench.store.put([1], in: .users, at: [1])
        try bench.checkpoint(at: 7)
        bench.store.put([2], in: .users, at: [1])
        bench.store.put([2], in: .users, at: [2])
        try bench.reopen()
        expect(bench.store.checkpointed == Position(7) && bench.store.renewal == nil)
        expect(bench.store.visited(.users, KeyRange(), .ascending) == [Visited(key: [1], value: [1])])
    }

    @Test func `models of another log or another version are begun anew`() throws {
        let bench = try ModelBench()
        expect(bench.store.renewal == nil)
        for (storeID, version) in [(ModelBench.storeID, 2), (Array(2...17), 2)] as [([UInt8], UInt32)] {
            bench.store.put([1], in: .users, at: [1])
            try bench.checkpoint(at: 7)
            try bench.reopen(storeID: storeID, version: version)
            expect(bench.store.renewal != nil)
            expect(bench.store.checkpointed == .zero)
            expect(bench.store.value(in: .users, at: [1]) == nil)
        }
    }

    @Test(arguments: [(6, false), (7, true), (8, true)] as [(UInt64, Bool)])
    func `models of an ancestor are used up to the last common position`(last: UInt64, areUsed: Bool) throws {
        let bench = try ModelBench()
        bench.store.put([1], in: .users, at: [1])
        try bench.checkpoint(at: 7)
        let parent = StoredIdentity.Ancestor(id: ModelBench.storeID, position: Position(last))
        try bench.reopen(storeID: Array(2...17), ancestors: [parent])
        expect((bench.store.renewal == nil) == areUsed)
        expect(bench.store.checkpointed == Position(areUsed ? 7 : 0))
    }

    @Test func `models of an ancestor that know more than the log are opened, so that the start is refused`() throws {
        let bench = try ModelBench()
        bench.store.put([1], in: .users, at: [1])
        try bench.checkpoint(at: 7)
        let parent = StoredIdentity.Ancestor(id: ModelBench.storeID, position: Position(5))
        try bench.reopen(storeID: Array(2...17), ancestors: [parent], head: Position(6))
        expect(bench.store.renewal == nil && bench.store.checkpointed == Position(7))
        try bench.reopen(storeID: Array(2...17), ancestors: [parent], head: Position(7))
        expect(bench.store.renewal != nil && bench.store.checkpointed == .zero)
    }

    @Test func `models that are damaged are begun anew`() throws {
        let bench = try ModelBench()
        bench.store.put([1], in: .users, at: [1])
        try bench.checkpoint(at: 7)
        bench.store.close()
        RawFile.write(
            Array(RawFile.read(bench.folder.store + "/models/data.mdb").prefix(9_000)),
            bench.folder.store + "/models/data.mdb")
        try bench.reopen()
        expect(bench.store.renewal?.contains("cut short") == true)
        expect(bench.store.checkpointed == .zero)
    }

    @Test func `a checkpoint runs on another thread while its owner reads and writes`() throws {
        let bench = try ModelBench()
        let oracle = SortedModel()
        var fuzzer = StoreFuzzer(99)
        for round in 1...4 as ClosedRange<UInt64> {
            for _ in 1...2_000 { fuzzer.change([bench.store, oracle]) }
            let checkpoint = bench.store.freeze(at: Position(round))
            let outcome = Mutex<StorageError?>(nil)
            let isDone = Atomic<Bool>(false)
            let thread = try TestThread {
                outcome.withLock { $0 = failure { () throws(StorageError) in try checkpoint.run() } }
                isDone.store(true, ordering: .releasing)
            }
            repeat {
                fuzzer.change([bench.store, oracle])
                fuzzer.compare(bench.store, oracle)
            } while !isDone.load(ordering: .acquiring)
            thread.join()
            expect(outcome.withLock { $0 } == nil)
            try bench.store.finish()
            for _ in 1...50 { fuzzer.compare(bench.store, oracle) }
        }
    }

    @Test func `readings may be nested in a scan`() throws {
        let bench = try ModelBench()
        for number in 1...6 as ClosedRange<UInt8> {
            bench.store.put([number], in: .users, at: [number])
            if number % 2 == 0 { try bench.checkpoint(at: UInt64(number)) }
        }
        var seen: [[UInt8]] = []
        bench.store.scan(.users) { key, value in
            bench.store.scan(.users, from: key, .descending) { inner, _ in
                seen.append(key + inner)
                return false
            }
            return bench.store.value(in: .users, at: key) == value
        }
        expect(seen == (1...6).map { [$0, 6] })
    }

    @Test func `a key that was looked for in vain is found as soon as it is there`() throws {
        let bench = try ModelBench()
        for key in [[1], [2]] as [[UInt8]] {
            for _ in 1...2 { expect(bench.store.value(in: .users, at: key) == nil) }
            expect(bench.store.value(in: .keys, at: key) == nil)
            bench.store.put([7], in: .users, at: key)
            expect(bench.store.value(in: .keys, at: key) == nil)
            expect(bench.store.value(in: .users, at: key) == [7])
        }
        let checkpoint = bench.store.freeze(at: Position(1))
        expect(bench.store.value(in: .users, at: [3]) == nil)
        bench.store.put([8], in: .users, at: [3])
        try checkpoint.run()
        try bench.store.finish()
        bench.store.discard()
        expect(bench.store.value(in: .users, at: [3]) == nil)
        expect(bench.store.value(in: .users, at: [2]) == [7])
        bench.store.put([9], in: .users, at: [3])
        try bench.checkpoint(at: 2)
        expect(bench.store.value(in: .users, at: [3]) == [9])
    }

    @Test func `what is buffered is counted, and nothing is after a checkpoint`() throws {
        let bench = try ModelBench()
        for number in 1...100 as ClosedRange<UInt8> { bench.store.put([1], in: .users, at: [number]) }
        bench.store.remove(in: .keys, at: [1])
        expect(bench.store.bufferedEntries == 101 && bench.store.bufferedBytes > 101)
        let checkpoint = bench.store.freeze(at: Position(1))
        expect(bench.store.bufferedEntries == 0 && bench.store.isCheckpointing)
        try checkpoint.run()
        try bench.store.finish()
        expect(bench.store.bufferedEntries == 0 && !bench.store.isCheckpointing)
        bench.store.put([1], in: .users, at: [1])
        _ = bench.store.freeze(at: Position(2))
        bench.store.fail()
        expect(bench.store.bufferedEntries == 1)
        bench.store.discard()
        expect(bench.store.bufferedEntries == 0)
    }

    @Test func `a checkpoint without a change still moves the position`() throws {
        let bench = try ModelBench()
        try bench.checkpoint(at: 12)
        try bench.reopen()
        expect(bench.store.checkpointed == Position(12))
    }

    @Test func `a snapshot and the models in memory have one digest for the same entries`() throws {
        let bench = try ModelBench()
        let memory = MemoryModelStore()
        var fuzzer = StoreFuzzer(5)
        for step in 1...3_000 as ClosedRange<UInt64> {
            fuzzer.change([bench.store, memory])
            if step % 700 == 0 { try bench.checkpoint(at: step) }
        }
        try bench.checkpoint(at: 3_000)
        bench.store.put([1], in: .users, at: [77])
        try bench.snapshot { (snapshot) throws in
            expect(snapshot.position == Position(3_000) && snapshot.storeID == ModelBench.storeID)
            for table in Catalogue.standard.tables {
                expect(try snapshot.digest(of: [table]) == memory.digest(of: table))
            }
            expect(try snapshot.digest(of: [.users]).count > 10)
            expect(try snapshot.value(in: .users, at: [77]) == memory.value(in: .users, at: [77]))
        }
        memory.put([1], in: .users, at: [78])
        let differing = try bench.snapshot { try $0.digest(of: [.users]) }
        expect(differing != memory.digest(of: .users))
    }

    @Test func `a table that is emptied and filled again stays whole`() throws {
        let bench = try ModelBench()
        for round in 1...6 as ClosedRange<UInt64> {
            for number in 0..<2_000 as Range<UInt64> {
                let key = Array("\(number)".utf8)
                if round % 2 == 1 {
                    bench.store.put(Array("\(round)".utf8), in: .likes, at: key)
                } else {
                    bench.store.remove(in: .likes, at: key)
                }
            }
            try bench.checkpoint(at: round)
            expect(bench.store.visited(.likes, KeyRange(), .ascending).count == (round % 2 == 1 ? 2_000 : 0))
            try bench.reopen()
        }
    }
}
