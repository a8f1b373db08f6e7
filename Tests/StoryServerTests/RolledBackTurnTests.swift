import LoopSupport
import StoryCore
import StoryEngine
import StoryLog
@testable import StoryServer
import Testing
import TestSupport

/// The shipped loop when the disk is full: one turn is undone, everything else goes on.
struct RolledBackTurnTests {
    private let bench = LoopBench()
    private let append = #"APPEND note-1 {"type":"A","data":{}}"#

    /// Two events are durable.
    init() {
        bench.connected("a", "b", "follower")
        _ = bench.ask(append, from: "a")
        _ = bench.ask(append, from: "a")
        _ = bench.ask("SUBSCRIBE events from=1", from: "follower")
    }

    @Test func `each undone reply becomes one refusal, the others stay, and subscriptions go on`() {
        bench.setTaking("follower", false)
        bench.log.commitFailure = .full("no room")
        bench.receive("@1 PING\n@2 \(append)\n@3 GET stories/none\n@4 PING\n@5 nonsense\n@6 LIST stories\n", from: "a")
        bench.receive("@1 READ events\n@2 COUNT users\n@3 SORTS users\n@4 SUBSCRIBE events\n", from: "b")
        bench.connect("late")
        bench.run()
        let a = bench.hear("a")
        expect(a.map { String($0.prefix(3)) } == ["+@1", "-@2", "-@3", "-@4", "-@5", "-@6"])
        expect(a.map { $0.text("code") } == [nil, "full", "notFound", "full", "unknown", "full"])
        expect(a[1].contains("nothing was written"))
        expect(a[1].text("retry") == "later")
        let b = bench.hear("b")
        let rows = b.filter { $0.hasPrefix("=@1") }.map { $0.number("position") }
        expect(rows == [1, 2])
        expect(b.filter { !$0.hasPrefix("=") }.map { String($0.prefix(3)) } == ["+@1", "-@2", "+@3", "+@4", ">1 "])
        expect(bench.hear("late").first?.number("position") == 2, "the greeting tells what is durable")
        bench.setTaking("follower", true)
        bench.run()
        expect(bench.hear("follower") == [])
        bench.tick(10)
        expect(bench.ask(append, from: "a").first?.number("position") == 3)
        expect(bench.hear("follower").map { $0.number("position") } == [3])
        expect(bench.hear("b").map { $0.number("position") } == [3])
    }

    @Test func `writes are refused for a second, reads go on, and then writes go on`() {
        bench.log.commitFailure = .full("no room")
        expect(bench.ask(append, from: "a").first?.text("code") == "full")
        bench.tick(9)
        expect(bench.ask(append, from: "a").first?.text("code") == "full")
        expect(bench.ask("READ events", from: "a").count == 3)
        bench.tick(1)
        expect(bench.ask(append, from: "a").first?.number("position") == 3)
        expect(bench.ask(append, from: "a").first?.number("version") == 4)
    }

    @Test func `an append that finds no room takes its turn back`() {
        bench.log.appendFailure = .full("no room")
        bench.send("@1 \(append)", "@2 PING", "@3 \(append)", from: "a")
        expect(bench.hear("a").map { $0.text("code") } == ["full", "full", "full"])
        expect(bench.log.head == Position(2))
        bench.tick(10)
        expect(bench.ask(append, from: "a").first?.number("version") == 3)
    }
}
