import LoopSupport
import StoryCore
import StoryEngine
@testable import StoryServer
import StoryStorage
import Testing
import TestSupport

/// The shipped loop when nobody knows how a commit ended: it stays under way, and the same entry is tried again.
struct UnknownOutcomeTests {
    private let bench = SlowDisk.bench()
    private let keyed = #"APPEND note-1 key=k {"type":"A","data":{}}"#

    /// An event at position 3, with its commit beside the loop, and a subscription that waits for it.
    init() {
        _ = bench.ask("SUBSCRIBE events", from: "reader")
        bench.send(keyed, from: "writer")
    }

    private func endInDoubt(isDone: Bool) {
        bench.commits.endInDoubt(isDone: isDone)
        bench.server.woken()
        bench.run()
    }

    @Test(arguments: [[true], [false], [false, true, false], [true, true]])
    func `nothing is acknowledged before the outcome is known, and each try has the same bytes`(tries: [Bool]) {
        let before = bench.commits.entries.count
        for isDone in tries {
            endInDoubt(isDone: isDone)
            expect(!bench.commits.isRunning)
            expect(bench.hear("writer") == [] && bench.hear("reader") == [])
            bench.send("PING", from: "reader")
            expect(bench.hear("reader") == [#"+ {"position":2}"#], "others are answered meanwhile")
            bench.tick()
            expect(bench.commits.isRunning)
        }
        bench.endCommit()
        expect(bench.hear("writer").map { $0.number("position") } == [3])
        expect(bench.hear("reader").map { $0.number("position") } == [3])
        let entries = bench.commits.entries[(before - 1)...]
        expect(entries.count == tries.count + 1 && Set(entries).count == 1)
        expect(bench.log.committed == Position(3) && bench.log.head == Position(3))
    }

    @Test func `what is written meanwhile waits for the next commit, and comes once`() {
        endInDoubt(isDone: true)
        bench.send(SlowDisk.append, keyed, from: "reader")
        bench.tick()
        bench.endCommit()
        expect(bench.hear("writer").map { $0.number("position") } == [3])
        bench.endCommit()
        let heard = bench.hear("reader").filter { $0.hasPrefix("+") }
        expect(heard.map { $0.number("position") } == [4, 3])
        expect(heard.last?.contains(#""repeated":true"#) == true)
        expect(bench.log.committed == Position(4))
    }

    @Test func `one that is refused in the end is undone, and the key is free again`() {
        endInDoubt(isDone: false)
        bench.send(SlowDisk.append, from: "reader")
        bench.tick()
        bench.commits.end(with: .refused(Failure(.busy, "another node leads")))
        bench.server.woken()
        bench.run()
        expect(bench.hear("writer").map { $0.text("message") } == ["another node leads"])
        expect(bench.hear("reader").map { $0.text("message") } == ["another node leads"])
        expect(bench.log.head == Position(2))
        bench.send(keyed, from: "writer")
        bench.endCommit()
        let receipt = bench.hear("writer")
        expect(receipt.map { $0.number("position") } == [3] && !receipt[0].contains("repeated"))
        expect(bench.hear("reader").map { $0.number("position") } == [3], "the subscription goes on")
    }

    @Test func `one whose state is unknown for good stops the process, and nothing leaves`() {
        endInDoubt(isDone: false)
        bench.tick()
        bench.commits.end(with: .failed(.failed("EIO")))
        bench.server.woken()
        bench.run()
        expect(bench.server.stopReason == .failed("EIO"))
        expect(bench.hear("writer") == [])
    }

    @Test func `the end of the process tries again, and gives up after a while`() {
        endInDoubt(isDone: false)
        bench.server.end()
        expect(bench.log.committed == Position(3) && bench.models.checkpointed == Position(3))
    }
}
