import StoryStore
import StoryCore
import StoryFold
import StoryOffline
@testable import StoryServer
import StoryWire
import Synchronization
import TestSupport
import Testing

@Suite struct CheckpointsTests {
    private let trace = Trace(now: { Instant(milliseconds: 0) }, write: { _ in })

    @Test func `one at a time is stored beside the loop, and says when it is done`() throws {
        let events = Everything.events(300)
        let bench = try DirectoryBench()
        try bench.write(events)
        try bench.serve { log, store in
            try Recovery.fold(log, into: store, by: CataloguePlan(.standard)) { _, _ in }
            let calls = Mutex(0)
            let checkpoints = Checkpoints(
                store, LogFlush(log, trace), trace, JobStarter(whenDone: { calls.withLock { $0 += 1 } }))
            expect(!checkpoints.isStoring)
            checkpoints.freeze(at: Position(300))
            checkpoints.freeze(at: Position(300))
            checkpoints.advance()
            expect(checkpoints.isStoring)
            checkpoints.wait()
            expect(!checkpoints.isStoring)
            expect(checkpoints.checkpointed == Position(300))
            expect(checkpoints.count == 1)
            expect(checkpoints.failure == nil)
            while calls.withLock({ $0 }) == 0 {}
            expect(calls.withLock { $0 } == 1)
            checkpoints.freeze(at: Position(300))
            checkpoints.advance()
            expect(!checkpoints.isStoring, "nothing is new")
        }
        expect(try bench.replay { $0.isVerifying = true }.isAlike)
    }

    @Test func `one is due after so many events, or so many bytes`() throws {
        let bench = try DirectoryBench()
        try bench.serve { log, store in
            let checkpoints = Checkpoints(store, LogFlush(log, trace), trace, JobStarter(whenDone: {}))
            expect(!checkpoints.isDue(at: Position(Checkpoints.events - 1)))
            expect(checkpoints.isDue(at: Position(Checkpoints.events)))
            expect(!checkpoints.isDue(at: .zero))
            let value = [UInt8](repeating: 1, count: 1 << 16)
            for number in 1...200 { store.put(value, in: .users, at: [1, UInt8(number)]) }
            expect(checkpoints.isDue(at: .zero))
        }
    }

    @Test func `what is folded while one is stored belongs to the next`() throws {
        let bench = try DirectoryBench()
        try bench.write(Everything.events(2))
        try bench.serve { log, store in
            let checkpoints = Checkpoints(store, LogFlush(log, trace), trace, JobStarter(whenDone: {}))
            store.put([1], in: .users, at: [1])
            checkpoints.freeze(at: Position(1))
            store.put([2], in: .users, at: [2])
            checkpoints.advance()
            checkpoints.wait()
            expect(store.bufferedEntries == 1)
            checkpoints.freeze(at: Position(2))
            checkpoints.advance()
            checkpoints.wait()
            expect(store.bufferedEntries == 0)
            expect(checkpoints.count == 2)
        }
        try bench.serve { _, store in
            expect(store.value(in: .users, at: [1]) == [1])
            expect(store.value(in: .users, at: [2]) == [2])
            expect(store.checkpointed == Position(2))
        }
    }
}
