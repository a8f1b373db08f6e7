import LoopSupport
import StoryCore
import StoryEngine
import StoryLog
@testable import StoryServer
import Testing
import TestSupport

/// Checkpoints as the loop begins them.
struct LoopCheckpointTests {
    private let bench = LoopBench()
    private let append = #"APPEND note-1 {"type":"A","data":{}}"#

    init() {
        bench.connected("a", "b")
        _ = bench.ask(append, from: "a")
    }

    @Test func `CHECKPOINT is answered when all that was acknowledged is stored`() {
        bench.send("CHECKPOINT", from: "a")
        bench.awaitStoring()
        expect(bench.hear("a") == [#"+ {"position":1}"#])
        expect(bench.models.begun == [Position(1)])
    }

    @Test(arguments: [(StorageError.full("no room"), "full"), (.failed("EMFILE"), "internal")])
    func `one that failed tells why, and is tried again a second later, not each turn`(
        _ error: StorageError, code: String
    ) {
        bench.models.storingFailure = error
        bench.send("CHECKPOINT", from: "a")
        bench.awaitStoring()
        expect(bench.hear("a").map { $0.text("code") } == [code])
        bench.models.bufferedBytes = Checkpoints.bytes
        for _ in 0..<20 { _ = bench.ask("PING", from: "b") }
        expect(bench.models.runCount == 1)
        bench.models.storingFailure = nil
        bench.tick(10)
        bench.awaitStoring()
        expect(bench.models.runCount == 2 && bench.models.begun == [Position(1)], "what was set aside is stored")
        expect(bench.models.checkpointed == Position(1))
    }

    @Test func `past a limit of memory writes are refused, and taken again once there is room`() {
        bench.models.storingFailure = .failed("EIO")
        bench.send("CHECKPOINT", from: "a")
        bench.awaitStoring()
        _ = bench.hear("a")
        bench.models.bufferedBytes = Checkpoints.maxBytes
        _ = bench.ask("PING", from: "a")
        expect(bench.ask(append, from: "a").map { $0.text("code") } == ["busy"])
        expect(bench.ask("READ events", from: "a").count == 2)
        bench.models.bufferedBytes = 0
        _ = bench.ask("PING", from: "a")
        expect(bench.ask(append, from: "a").first?.number("position") == 2)
    }

    @Test func `while nothing comes in, the log is flushed beside the loop`() {
        bench.log.hasFullBlocks = true
        bench.tick()
        expect(!bench.log.isFlushing, "something came in")
        bench.tick()
        expect(bench.log.isFlushing)
        bench.log.endFlush()
        bench.server.woken()
        expect(!bench.log.isFlushing && bench.log.flushed == Position(1))
    }

    @Test func `a flush beside the loop that finds no room is told once, and writes go on`() {
        bench.log.hasFullBlocks = true
        bench.log.flushFailure = .full("no room")
        for _ in 1...5 {
            bench.tick(2)
            bench.log.endFlush()
            bench.server.woken()
        }
        expect(bench.trace.filter { $0.contains("flush-failed") }.count == 1)
        expect(bench.ask(append, from: "a").first?.number("position") == 2)
        expect(bench.server.stopReason == nil)
    }
}
