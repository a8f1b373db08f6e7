import LoopSupport
import StoryCore
@testable import StoryServer
import StoryFold
import StoryStore
import StoryWire
import TestSupport
import Testing

@Suite struct RecoveryTests {
    private func expectAlike(_ store: any TableStore, _ memory: MemoryModelStore) {
        for table in Catalogue.standard.tables {
            var entries: [(key: [UInt8], value: [UInt8])] = []
            store.scan(table) { key, value in
                entries.append((key, value))
                return true
            }
            let expected = memory.entries(of: table)
            expect(entries.map(\.key) == expected.map(\.key), "\(table.name)")
            expect(entries.map(\.value) == expected.map(\.value), "\(table.name)")
        }
    }

    @Test(arguments: [0, 1, 499, 1_000])
    func `folding the tail is folding all, table by table`(checkpoint: Int) throws {
        let events = Everything.events(1_000)
        let bench = try DirectoryBench()
        if checkpoint > 0 {
            try bench.write(Array(events[..<checkpoint]))
            try bench.foldAll()
        }
        if checkpoint < events.count { try bench.write(Array(events[checkpoint...])) }
        try bench.serve { log, store in
            expect(store.checkpointed == Position(UInt64(checkpoint)))
            var told: [Position] = []
            try Recovery.fold(log, into: store, by: CataloguePlan(.standard)) { position, _ in told.append(position) }
            expect(told == (checkpoint < 1_000 ? [Position(1_000)] : []))
            expectAlike(store, Everything.folded(events))
        }
    }

    @Test(arguments: [true, false])
    func `a long fold is stored in between, unless it is told not to be`(isStoring: Bool) throws {
        let count = Int(Checkpoints.events) + 500
        let bench = try DirectoryBench()
        var maker = EventMaker()
        let events = (0..<count).map { maker.event("note-\($0 % 100)", .noted()) }
        try bench.write(events)
        try bench.serve { log, store in
            try Recovery.fold(log, into: store, by: CataloguePlan(.standard), isStoring: isStoring) { _, _ in }
            expect(store.checkpointed == (isStoring ? Position(Checkpoints.events) : .zero))
            expectAlike(store, Everything.folded(events))
        }
    }

    @Test func `a long fold that finds no room to be stored goes on in memory, up to a limit`() throws {
        let bench = try DirectoryBench()
        try bench.write(Everything.events(3_000))
        try bench.serve { log, _ in
            let models = MemoryModels()
            models.storingFailure = .full("no room")
            models.bufferedBytes = Checkpoints.bytes
            try Recovery.fold(log, into: models, by: CataloguePlan(.standard)) { _, _ in }
            expect(models.begun == [Position(1_000)] && models.checkpointed == .zero && !models.isFrozen)
            expectAlike(models, Everything.folded(Everything.events(3_000)))
            let more = MemoryModels()
            more.storingFailure = .full("no room")
            more.bufferedBytes = 1 << 30
            #expect(throws: StorageError.full("no room")) {
                try Recovery.fold(log, into: more, by: CataloguePlan(.standard)) { _, _ in }
            }
        }
    }

    @Test func `a fold of few large rows is stored in between, too`() throws {
        let bench = try DirectoryBench()
        var maker = EventMaker()
        let text = String(repeating: "x", count: 9_000)
        let events = (0..<3_000).map { maker.event("story-\($0)", .posted(title: text)) }
        try bench.write(events)
        try bench.serve { log, store in
            try Recovery.fold(log, into: store, by: CataloguePlan(.standard)) { _, _ in }
            expect(store.checkpointed > .zero && store.bufferedBytes < 2 * Checkpoints.bytes)
            expectAlike(store, Everything.folded(events))
        }
    }

    @Test func `models that are ahead of the log are refused in a sentence`() throws {
        let bench = try DirectoryBench()
        try bench.write(Everything.events(5))
        try bench.serve { log, store in
            try store.writeDown(at: Position(9))
            let error = #expect(throws: StorageError.self) {
                try Recovery.fold(log, into: store, by: CataloguePlan(.standard)) { _, _ in }
            }
            guard case .corrupt(let sentence, Position(5)) = error else {
                Issue.record("not corrupt but \(String(describing: error))")
                return
            }
            expect(sentence.contains("know position 9, but the log ends at 5"))
            expect(StartError(.corrupt(sentence, at: nil)).exitCode == 5)
        }
    }
}
