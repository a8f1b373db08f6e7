import LoopSupport
import StoryCore
import StoryEngine
import StoryLog
@testable import StoryServer
import Testing
import TestSupport

/// Checkpoints and full journals of the shipped loop where commits end later than their turns.
struct SlowDiskCheckpointTests {
    private let bench = SlowDisk.bench()
    private let append = SlowDisk.append
    private let user = SlowDisk.user

    @Test func `what a commit makes durable is set aside as it begins, and flushed when it has ended`() {
        bench.models.bufferedBytes = Checkpoints.bytes
        bench.send(append, from: "writer")
        expect(bench.commits.isRunning && bench.models.begun == [Position(3)])
        expect(bench.log.flushCount == 0)
        bench.models.bufferedBytes = 0
        bench.send(append, from: "reader")
        bench.endCommit()
        expect(bench.hear("writer").map { $0.number("position") } == [3])
        expect(bench.commits.isRunning, "the next commit follows at once")
        bench.awaitStoring()
        expect(bench.models.checkpointed == Position(3) && bench.log.flushed == Position(3))
    }

    @Test func `where that commit finds no room, what was set aside is folded again`() {
        bench.models.bufferedBytes = Checkpoints.bytes
        bench.log.commitFailure = .full("no room")
        bench.send(append, from: "writer")
        expect(bench.models.begun == [Position(3)])
        bench.models.bufferedBytes = 0
        bench.endCommit()
        expect(bench.hear("writer").map { $0.text("code") } == ["full"])
        expect(!bench.models.isFrozen && bench.models.runCount == 0)
        expect(bench.ask("GET users/1", from: "reader").first?.text("id") == "1")
        bench.tick(10)
        bench.send("CHECKPOINT", from: "reader")
        bench.awaitStoring()
        expect(bench.hear("reader") == [#"+ {"position":2}"#])
    }

    @Test func `while a commit waits for a flush reads are answered, writes wait, and then all goes on`() {
        bench.log.isJournalFull = true
        bench.send(append, from: "writer")
        expect(bench.log.isFlushing && !bench.commits.isRunning)
        bench.send("GET users/1", "PING", from: "reader")
        expect(bench.hear("reader").count == 2)
        bench.send("@1 " + append, "@2 PING", from: "reader")
        bench.send("@3 " + user, from: "writer")
        expect(bench.hear("reader") == [] && bench.log.head == Position(3), "no more is taken up")
        bench.endFlush()
        expect(bench.commits.isRunning)
        bench.endCommit()
        expect(bench.hear("writer").map { $0.number("position") }.first == 3)
        while bench.commits.isRunning { bench.endCommit() }
        expect(bench.hear("reader").map { String($0.prefix(3)) } == ["+@1", "+@2"])
        expect(bench.hear("writer").map { $0.text("code") } == ["exists"])
    }

    @Test func `where that flush finds no room, the turn is undone and the write that waited is refused`() {
        bench.log.isJournalFull = true
        bench.log.flushFailure = .full("no room")
        bench.send(append, from: "writer")
        bench.send(append, from: "reader")
        bench.endFlush()
        expect(bench.hear("writer").map { $0.text("code") } == ["full"])
        expect(bench.hear("reader").map { $0.text("code") } == ["full"])
        expect(bench.log.head == Position(2) && bench.log.flushCount == 1)
        bench.log.flushFailure = nil
        bench.tick(10)
        bench.send(append, from: "writer")
        bench.endFlush()
        bench.endCommit()
        expect(bench.hear("writer").map { $0.number("position") } == [3])
    }

    @Test func `a write that waits when the program ends is told so`() {
        bench.log.isJournalFull = true
        bench.send(append, from: "writer")
        bench.send("@1 " + append, from: "reader")
        bench.server.signalReceived(15)
        bench.run()
        expect(bench.hear("reader").map { $0.text("code") } == ["draining", nil])
        bench.endFlush()
        bench.endCommit()
        expect(bench.hear("writer").first?.number("position") == 3)
    }
}
