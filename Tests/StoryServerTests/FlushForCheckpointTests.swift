import LoopSupport
import StoryCore
import StoryEngine
import StoryLog
@testable import StoryServer
import Testing
import TestSupport

/// A checkpoint of the shipped loop while the flush that it needs is under way: nobody waits for it but CHECKPOINT.
struct FlushForCheckpointTests {
    private let bench = LoopBench()
    private let append = #"APPEND note-1 {"type":"A","data":{}}"#
    private let user = #"POST users {"id":"1","name":"A","email":"a@example.org","prefecture":1}"#

    /// A user at position 1, and the flush for a CHECKPOINT of it held.
    init() {
        bench.connected("asker", "other")
        _ = bench.ask(user, from: "other")
        bench.log.holdsFlushes = true
        bench.send("CHECKPOINT", from: "asker")
    }

    private func expectWaiting() {
        expect(bench.log.isFlushing && bench.models.begun == [Position(1)])
        expect(bench.models.runCount == 0, "nothing is stored that is not flushed")
        expect(bench.hear("asker") == [])
    }

    @Test func `others are answered meanwhile, writes too, and CHECKPOINT when all is stored`() {
        expectWaiting()
        expect(bench.ask("PING", from: "other") == [#"+ {"position":1}"#])
        expect(bench.ask("GET users/1", from: "other").first?.text("id") == "1")
        expect(bench.ask(append, from: "other").first?.number("position") == 2)
        expectWaiting()
        bench.endFlush()
        bench.awaitStoring()
        expect(bench.hear("asker") == [#"+ {"position":1}"#])
        expect(bench.models.checkpointed == Position(1) && bench.log.flushCount == 1)
    }

    @Test func `a second CHECKPOINT of what came after waits for a second one`() {
        _ = bench.ask(append, from: "other")
        bench.send("CHECKPOINT", from: "other")
        bench.endFlush()
        bench.awaitStoring()
        expect(bench.hear("asker") == [#"+ {"position":1}"#] && bench.hear("other") == [])
        expect(bench.models.begun == [Position(1), Position(2)] && bench.log.isFlushing)
        bench.endFlush()
        bench.awaitStoring()
        expect(bench.hear("other") == [#"+ {"position":2}"#])
    }

    @Test func `a flush that finds no room is told, what is set aside stays, and is stored once there is room`() {
        bench.log.flushFailure = .full("no room")
        bench.endFlush()
        expect(bench.hear("asker").map { $0.text("code") } == ["full"])
        expect(bench.said("flush-failed") == 1 && bench.log.flushCount == 1)
        expect(bench.ask("GET users/1", from: "other").first?.text("id") == "1")
        expect(bench.ask(append, from: "other").first?.number("position") == 2)
        bench.tick(9)
        expect(bench.log.flushCount == 1, "a full disk is left alone for a second")
        bench.tick(1)
        expect(bench.log.flushCount == 2)
        bench.endFlush()
        expect(bench.said("flush-failed") == 1)
        bench.log.flushFailure = nil
        bench.tick(10)
        bench.endFlush()
        bench.awaitStoring()
        expect(bench.models.begun == [Position(1)] && bench.models.checkpointed == Position(1))
    }

    @Test func `CHECKPOINT does not leave a full disk alone`() {
        bench.log.flushFailure = .full("no room")
        bench.endFlush()
        _ = bench.hear("asker")
        bench.send("CHECKPOINT", from: "asker")
        expect(bench.log.flushCount == 2)
        bench.log.flushFailure = nil
        bench.endFlush()
        bench.awaitStoring()
        expect(bench.hear("asker") == [#"+ {"position":1}"#])
    }

    @Test func `while there is no room and memory is used up, writes are refused`() {
        bench.log.flushFailure = .full("no room")
        bench.endFlush()
        bench.models.bufferedBytes = Checkpoints.maxBytes
        _ = bench.ask("PING", from: "other")
        expect(bench.ask(append, from: "other").map { $0.text("code") } == ["busy"])
        expect(bench.ask("GET users/1", from: "other").first?.text("id") == "1")
    }

    @Test func `while the flush is under way and memory is used up, writes wait, and nobody else`() {
        bench.models.bufferedBytes = Checkpoints.maxBytes
        _ = bench.ask("PING", from: "other")
        expect(bench.ask(append, from: "other") == [], "it waits")
        bench.connected("reader")
        expect(bench.ask("GET users/1", from: "reader").first?.text("id") == "1")
        expect(bench.ask("PING", from: "reader") == [#"+ {"position":1}"#])
        expect(bench.log.head == Position(1))
        bench.models.bufferedBytes = 0
        bench.endFlush()
        bench.awaitStoring()
        expect(bench.hear("other").map { $0.number("position") } == [2])
        expect(bench.hear("asker") == [#"+ {"position":1}"#])
    }

    @Test func `a connection whose write waits for room is pushed its events meanwhile`() {
        let events = Array(repeating: #"{"type":"A","data":{}}"#, count: 500).joined(separator: ",")
        for _ in 1...6 { _ = bench.ask("APPEND note-1 [\(events)]", from: "other") }
        bench.models.bufferedBytes = Checkpoints.maxBytes
        _ = bench.ask("PING", from: "other")
        bench.send("SUBSCRIBE events/note-1 from=1", append, from: "other")
        bench.run()
        let heard = bench.hear("other")
        expect(heard.count { $0.contains("\"stream\"") && $0.hasPrefix(">1 ") } == 3_000)
        expect(heard.count { $0.hasPrefix("+") } == 1, "the write waits")
    }

    @Test func `a turn that is undone takes what is set aside back, and CHECKPOINT is answered all the same`() {
        bench.log.commitFailure = .full("no room")
        expect(bench.ask(append, from: "other").map { $0.text("code") } == ["full"])
        expect(bench.ask("GET users/1", from: "other").first?.text("id") == "1")
        bench.endFlush()
        bench.awaitStoring()
        expect(bench.hear("asker") == [#"+ {"position":1}"#])
        expect(bench.models.checkpointed == Position(1))
        expect(bench.ask("GET users/1", from: "other").first?.text("id") == "1")
    }

    @Test func `a turn is undone while models are stored, which nobody waits for`() {
        let mayEnd = EndFlag()
        defer { mayEnd.set() }
        bench.endFlush()
        bench.awaitStoring()
        _ = (bench.hear("asker"), bench.ask(append, from: "other"))
        bench.models.storingEnds = mayEnd
        bench.send("CHECKPOINT", from: "asker")
        bench.endFlush()
        expect(bench.server.isStoring)
        bench.log.commitFailure = .full("no room")
        expect(bench.ask(append, from: "other").map { $0.text("code") } == ["full"])
        expect(bench.server.isStoring && bench.hear("asker") == [])
        expect(bench.ask("GET users/1", from: "other").first?.text("id") == "1")
        mayEnd.set()
        bench.awaitStoring()
        expect(bench.hear("asker") == [#"+ {"position":2}"#])
    }

    @Test func `a flush that fails for good ends the process, and nothing is stored`() {
        bench.log.flushFailure = .failed("EIO")
        bench.endFlush()
        expect(bench.server.stopReason == .failed("EIO") && bench.transport.isStopped)
        bench.tick(20)
        expect(bench.models.runCount == 0 && bench.hear("asker") == [])
    }

    // MARK: The end of the program

    @Test func `the end of the program finishes the flush and stores all`() {
        _ = bench.ask(append, from: "other")
        bench.server.signalReceived(15)
        bench.run()
        bench.server.end()
        expect(bench.models.begun == [Position(1), Position(2)] && bench.models.checkpointed == Position(2))
    }

    @Test func `the end of the program waits for what is being stored, and stores the rest`() {
        let mayEnd = EndFlag()
        bench.endFlush()
        bench.awaitStoring()
        _ = bench.ask(append, from: "other")
        bench.models.storingEnds = mayEnd
        bench.send("CHECKPOINT", from: "asker")
        bench.endFlush()
        _ = bench.ask(append, from: "other")
        expect(bench.server.isStoring)
        mayEnd.set()
        bench.server.signalReceived(15)
        bench.run()
        bench.server.end()
        expect(bench.models.begun == [1, 2, 3].map(Position.init) && bench.models.checkpointed == Position(3))
    }

    @Test(arguments: [true, false]) func `the end of the program tries again what failed before`(_ isFlush: Bool) {
        if isFlush {
            bench.log.flushFailure = .full("no room")
        } else {
            bench.models.storingFailure = .failed("EMFILE")
        }
        bench.endFlush()
        bench.awaitStoring()
        expect(bench.models.checkpointed == .zero && bench.hear("asker").count == 1)
        (bench.log.flushFailure, bench.models.storingFailure) = (nil, nil)
        bench.server.signalReceived(15)
        bench.run()
        bench.server.end()
        expect(bench.models.checkpointed == Position(1))
    }

    @Test func `the end of the program comes also where the log cannot be flushed`() {
        bench.log.flushFailure = .full("no room")
        bench.endFlush()
        bench.server.signalReceived(15)
        bench.run()
        bench.server.end()
        expect(bench.models.runCount == 0 && bench.server.stopReason == nil)
    }
}
