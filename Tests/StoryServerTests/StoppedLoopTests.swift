import LoopSupport
import StoryCore
import StoryEngine
import StoryLog
@testable import StoryServer
import Testing
import TestSupport

/// The shipped loop after an error that it cannot go on from: nothing leaves, nothing begins.
struct StoppedLoopTests {
    private let bench = LoopBench()
    private let append = #"APPEND note-1 {"type":"A","data":{}}"#

    init() {
        bench.connected("a", "b")
        _ = bench.ask(append, from: "a")
    }

    /// The loop is at its end and does nothing any more, whatever it is told.
    private func expectStopped() {
        expect(bench.transport.isStopped)
        expect(bench.server.stopReason != nil)
        let (begun, runs, head) = (bench.models.begun, bench.models.runCount, bench.log.committed)
        bench.receive("PING\nCHECKPOINT\n\(append)\n", from: "b")
        bench.tick(20)
        bench.server.signalReceived(15)
        bench.run()
        expect(bench.hear("a") == [])
        expect(bench.hear("b") == [])
        expect(bench.models.begun == begun, "no checkpoint begins")
        expect(bench.models.runCount == runs, "nothing is stored")
        expect(bench.log.committed == head)
    }

    @Test func `a turn that cannot be undone acknowledges nothing`() {
        bench.log.commitFailure = .full("no room")
        bench.log.readFailure = .corrupt("bit rot", at: Position(1))
        bench.receive("\(append)\nPING\n", from: "a")
        bench.receive("\(append)\nREAD events\n", from: "b")
        bench.run()
        expect(bench.server.stopReason == .corrupt("bit rot", at: Position(1)))
        expectStopped()
    }

    @Test func `a log that cannot go back a turn acknowledges nothing`() {
        bench.log.commitFailure = .full("no room")
        bench.log.rollBackFailure = .failed("MDB_PANIC")
        bench.send(append, from: "a")
        expect(bench.server.stopReason == .failed("MDB_PANIC"))
        expectStopped()
    }

    @Test func `a flush that fails while a CHECKPOINT waits begins none, and ends the process`() {
        bench.log.flushFailure = .failed("EIO")
        bench.send("CHECKPOINT", from: "a")
        expect(bench.models.runCount == 0)
        expect(bench.server.stopReason == .failed("EIO"))
        expectStopped()
    }

    @Test func `an idle flush that fails begins no checkpoint that is due`() {
        bench.models.bufferedBytes = Checkpoints.bytes
        bench.log.flushFailure = .failed("EIO")
        bench.tick(1)
        expect(bench.models.runCount == 0)
        expectStopped()
    }

    @Test func `a flush beside the loop that fails ends the process`() {
        bench.log.hasFullBlocks = true
        bench.log.flushFailure = .failed("EIO")
        bench.tick(2)
        expect(bench.server.stopReason == nil)
        bench.log.endFlush()
        bench.server.woken()
        expect(bench.server.stopReason == .failed("EIO"))
        expectStopped()
    }

    @Test func `a commit that fails while a checkpoint is stored leaves the checkpoint alone`() {
        let mayEnd = EndFlag()
        bench.models.storingEnds = mayEnd
        bench.send("CHECKPOINT", from: "b")
        expect(bench.server.isStoring)
        while bench.models.runCount == 0 {}
        bench.log.commitFailure = .failed("EIO")
        bench.send(append, from: "a")
        expect(bench.server.stopReason == .failed("EIO"))
        expectStopped()
        expect(bench.server.isStoring, "what it uses is not closed under it")
        mayEnd.set()
    }

    @Test func `a late commit that fails acknowledges nothing`() {
        bench.makeDiskSlow()
        bench.log.commitFailure = .failed("EIO")
        bench.send(append, from: "a")
        bench.commits.end()
        bench.server.woken()
        bench.endTurn()
        expect(bench.server.stopReason == .failed("EIO"))
        expectStopped()
    }

    @Test func `models that cannot be read end the process before what they answered leaves`() {
        bench.receive("LIST users\n", from: "a")
        bench.models.failure = .failed("EIO")
        bench.endTurn()
        expect(bench.server.stopReason == .failed("EIO"))
        expectStopped()
    }
}
