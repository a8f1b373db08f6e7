import LoopSupport
import StoryCore
import StoryEngine
import StoryLog
@testable import StoryServer
import Testing
import TestSupport

/// The shipped loop when commits end later than their turns: what is durable is answered meanwhile.
struct LateCommitTests {
    private let bench = SlowDisk.bench()
    private let append = SlowDisk.append

    /// An event on the way at position 3, with its commit beside the loop.
    init() { bench.send(append, from: "writer") }

    @Test func `a receipt waits for its commit`() {
        expect(bench.commits.isRunning)
        expect(bench.hear("writer") == [])
        bench.endCommit()
        expect(bench.hear("writer").map { $0.number("position") } == [3])
    }

    @Test func `rows, PING, READ and catch-up of what is durable do not wait`() {
        let rows = bench.ask("GET users/1", from: "reader")
        expect(rows.map { $0.prefix(33) } == [#"+ {"id":"1","version":1,"position"#])
        expect(bench.ask("PING", from: "reader") == [#"+ {"position":2}"#])
        let read = bench.ask("READ events", from: "reader")
        expect(read.map { $0.number("position") } == [1, 2, 2])
        expect(bench.ask("READ events/note-1", from: "reader") == [#"+ {"count":0,"position":2}"#])
        let caughtUp = bench.ask("SUBSCRIBE events from=1", from: "reader")
        expect(caughtUp.map { $0.prefix(3) } == ["+ {", ">1 ", ">1 ", ">1 "])
        expect(caughtUp.last == #">1 {"caughtUp":2}"#)
        expect(bench.commits.isRunning)
        bench.endCommit()
        expect(bench.hear("reader").map { $0.number("position") } == [3])
    }

    @Test func `what rests on events that are not durable waits, and everything behind it`() {
        expect(bench.ask("COUNT users", from: "reader") == [])
        expect(bench.ask("PING", from: "reader") == [])
        bench.endCommit()
        expect(bench.hear("reader") == [#"+ {"count":1,"position":3}"#, #"+ {"position":2}"#])
    }

    @Test func `what is appended meanwhile gathers for one next commit`() {
        bench.send(append, append, from: "reader")
        bench.send(append, from: "writer")
        expect(bench.hear("reader") == [])
        bench.endCommit()
        expect(bench.hear("writer").map { $0.number("position") } == [3])
        expect(bench.commits.isRunning)
        expect(bench.hear("reader") == [])
        bench.endCommit()
        expect(bench.hear("reader").map { $0.number("position") } == [4, 5])
        expect(bench.hear("writer").map { $0.number("position") } == [6])
        expect(!bench.commits.isRunning)
    }

    @Test func `what is appended meanwhile is bounded: who writes more waits, and nobody else`() {
        let text = String(repeating: "x", count: 256 << 10)
        let large = #"APPEND note-2 {"type":"A","data":"\#(text)"}"#
        for _ in 0..<40 { bench.send(large, from: "writer") }
        let most = UInt64(Limits().commit / text.utf8.count)
        expect(bench.log.head == Position(3 + most))
        expect(bench.ask("PING", from: "reader") == [#"+ {"position":2}"#])
        var commits = 0
        while bench.commits.isRunning {
            bench.endCommit()
            commits += 1
            expect(bench.log.head.value <= bench.log.committed.value + 2 * most)
        }
        expect(bench.hear("writer").map { $0.number("position") } == (3...43).map { $0 })
        expect(commits >= 6)
    }

    @Test func `while a commit waits for those who were just answered, the loop sleeps`() {
        bench.send(append, from: "reader")
        let before = bench.transport.requestedTurns.count
        bench.endCommit()
        expect(bench.commits.isRunning, "who was answered did not write again")
        let requested = bench.transport.requestedTurns[before...]
        expect(!requested.isEmpty && !requested.contains(nil), "no turn was asked for at once")
        expect(requested.allSatisfy { $0.map { 1...LoopBench.slowSync / 4 ~= $0 } ?? false })
    }

    @Test func `a connection reads what it wrote, once that is durable, in the order that it asked`() {
        bench.send("READ events from=3", "@p PING", "UNSUBSCRIBE 9", from: "writer")
        expect(bench.hear("writer") == [])
        bench.endCommit()
        let heard = bench.hear("writer")
        expect(heard.map { String($0.prefix(2)) } == ["+ ", "= ", "+ ", "+@", "- "])
        expect(heard[2] == #"+ {"count":1,"position":3}"#)
    }

    @Test func `that nothing changes rests on what else was looked at, too`() {
        let bench = SlowDisk.bench()
        bench.send(#"POST stories {"id":"1","title":"T","message":"m","sender":"1","recipient":"1"}"#, from: "writer")
        bench.endCommit()
        expect(bench.hear("writer").map { $0.text("stream") } == ["story-1"])
        bench.log.commitFailure = .full("no room")
        bench.send(#"POST users {"id":"2","name":"B","email":"b@example.org","prefecture":1}"#, from: "writer")
        bench.send(#"UNLIKE stories/1 {"user":"2"}"#, from: "reader")
        expect(bench.hear("reader") == [], "there may be no such user in the end")
        bench.endCommit()
        expect(bench.hear("writer").map { $0.text("code") } == ["full"])
        expect(bench.hear("reader").map { $0.text("code") } == ["full"])
    }

    @Test(arguments: [
        #"LIKE stories/1 version=9 {"user":"2"}"#,
        #"LIKE stories/1 unless=[{"any":[{"stream":"story-1"}],"after":0}] {"user":"2"}"#,
        #"POST stories unless=[{"any":[{"stream":"user-1"}],"after":0}] "#
            + #"{"id":"2","title":"T","message":"m","sender":"2","recipient":"1"}"#,
    ])
    func `a conflict rests on the rows that the form names, too`(line: String) throws {
        let bench = SlowDisk.bench()
        bench.send(#"POST stories {"id":"1","title":"T","message":"m","sender":"1","recipient":"1"}"#, from: "writer")
        bench.endCommit()
        _ = bench.hear("writer")
        bench.log.commitFailure = .full("no room")
        bench.send(#"POST users {"id":"2","name":"B","email":"b@example.org","prefecture":1}"#, from: "writer")
        bench.send(line, from: "reader")
        expect(bench.hear("reader") == [], "there may be no such user in the end")
        bench.endCommit()
        expect(bench.hear("reader").map { $0.text("code") } == ["full"])
        let again = bench.ask(line, from: "reader")
        expect(again.map { $0.text("code") } == ["invalid"], "\(again)")
    }

    @Test func `a disk that is full takes back what was appended meanwhile, too`() {
        bench.log.commitFailure = nil
        bench.endCommit()
        _ = bench.hear("writer")
        bench.log.commitFailure = .full("no room")
        bench.send("@1 " + append, from: "writer")
        bench.send("@2 " + append, "@3 PING", "@4 GET users/1", from: "reader")
        bench.endCommit()
        expect(bench.hear("writer").map { $0.text("code") } == ["full"])
        let heard = bench.hear("reader")
        expect(heard.map { String($0.prefix(3)) } == ["-@2", "-@3", "+@4"])
        expect(bench.log.head == Position(3))
        expect(bench.ask("PING", from: "reader") == [#"+ {"position":3}"#])
    }

    @Test func `what waits at the end of the program is committed and answered`() {
        bench.server.signalReceived(15)
        bench.run()
        expect(bench.hear("writer") == [])
        expect(!bench.isFinished("writer"))
        bench.endCommit()
        expect(bench.hear("writer").map { String($0.prefix(2)) } == ["+ ", "* "])
        expect(bench.isFinished("writer"))
    }

    @Test func `also where syncs are quick nobody waits for the commit of others`() {
        let bench = LoopBench()
        bench.commits.isHeld = true
        bench.connected("writer")
        expect(bench.ask(append, from: "writer").map { $0.number("position") } == [1])
        bench.connected("reader")
        expect(bench.ask(append, from: "writer") == [])
        expect(bench.commits.isRunning, "the next sync may take a second")
        expect(bench.ask("PING", from: "reader") == [#"+ {"position":1}"#])
        bench.endCommit()
        expect(bench.hear("writer").map { $0.number("position") } == [2])
    }
}
