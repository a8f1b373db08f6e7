import StoryCore
import StoryModels
import StoryReplay
@testable import StoryServer
import StoryWire
import Synchronization
import TestSupport
import Testing

@Suite struct CheckpointerTests {
    @Test func `one at a time is written beside the loop, and says when it is done`() throws {
        let events = Everything.events(300)
        let bench = try DirectoryBench()
        try bench.write(events)
        try bench.serve { log, store in
            try Recovery.fold(log, into: store, with: EventDecoder()) { _, _ in }
            let calls = Mutex(0)
            let checkpointer = Checkpointer(store: store, whenDone: { calls.withLock { $0 += 1 } })
            #expect(!checkpointer.isRunning)
            #expect(!checkpointer.poll(), "nothing was begun")
            checkpointer.start(at: Position(300))
            checkpointer.start(at: Position(300))
            #expect(checkpointer.isRunning)
            checkpointer.wait()
            #expect(!checkpointer.isRunning)
            #expect(checkpointer.checkpointed == Position(300))
            #expect(checkpointer.count == 1)
            #expect(checkpointer.failure == nil)
            while calls.withLock({ $0 }) == 0 {}
            #expect(calls.withLock { $0 } == 1)
            checkpointer.start(at: Position(300))
            #expect(!checkpointer.isRunning, "nothing is new")
        }
        #expect(try bench.replay { $0.isVerifying = true }.isAlike)
    }

    @Test func `one is due after so many events, or so many bytes`() throws {
        let bench = try DirectoryBench()
        try bench.serve { _, store in
            let checkpointer = Checkpointer(store: store, whenDone: {})
            #expect(!checkpointer.isDue(head: Position(Checkpointer.events - 1)))
            #expect(checkpointer.isDue(head: Position(Checkpointer.events)))
            #expect(!checkpointer.isDue(head: .zero))
            let value = [UInt8](repeating: 1, count: 1 << 16)
            for number in 1...200 { store.put(value, in: .users, at: KeyWriter.number(StreamNumber(UInt64(number)))) }
            #expect(checkpointer.isDue(head: .zero))
        }
    }

    @Test func `what is folded while one is written belongs to the next`() throws {
        let bench = try DirectoryBench()
        try bench.serve { _, store in
            let checkpointer = Checkpointer(store: store, whenDone: {})
            store.put([1], in: .users, at: [1])
            checkpointer.start(at: Position(1))
            store.put([2], in: .users, at: [2])
            checkpointer.wait()
            #expect(store.bufferedEntries == 1)
            checkpointer.start(at: Position(2))
            checkpointer.wait()
            #expect(store.bufferedEntries == 0)
            #expect(checkpointer.count == 2)
        }
        try bench.serve { _, store in
            #expect(store.value(in: .users, at: [1]) == [1])
            #expect(store.value(in: .users, at: [2]) == [2])
            #expect(store.checkpointed == Position(2))
        }
    }
}
