import LoopSupport
import StoryCore
import StoryEngine
import StoryLog
@testable import StoryServer
import Testing
import TestSupport

/// Fair shares: nobody waits for somebody else's question.
struct BudgetedLoopTests {
    private let bench = LoopBench()

    private func fill(_ count: Int) {
        let event = #"{"type":"A","data":{}}"#
        let line = "APPEND note-1 [" + Array(repeating: event, count: 500).joined(separator: ",") + "]"
        for _ in 0..<count / 500 { _ = bench.ask(line, from: "a") }
    }

    /// What the loop may read in one turn: its budget, and one record more for whoever finds it spent.
    private let turn = UInt64(FairQueue.turn.count(of: .record) + 20)

    @Test func `a thousand subscriptions that match nothing delay a PING by less than a turn's budget`() {
        bench.connected("a", "b")
        fill(5_000)
        let lines = String(repeating: "SUBSCRIBE events from=1 types=None\n", count: 1_000)
        bench.receive(lines, from: "b")
        bench.endTurn()
        for _ in 0..<50 {
            let before = bench.log.readCount
            bench.receive("PING\n", from: "a")
            bench.endTurn()
            expect(bench.hear("a") == [#"+ {"position":5000}"#])
            expect(bench.log.readCount - before <= turn)
        }
    }

    @Test func `a READ that matches nothing is answered in shares, and others are served between them`() {
        bench.connected("a", "b")
        fill(20_000)
        bench.receive("READ events types=None\nPING\n", from: "b")
        var turns = 0
        while bench.endTurn() {
            turns += 1
            bench.receive("PING\n", from: "a")
            bench.endTurn()
            expect(bench.hear("a") == [#"+ {"position":20000}"#])
        }
        expect(turns > 3)
        expect(bench.hear("b") == [#"+ {"count":0,"position":20000}"#, #"+ {"position":20000}"#])
    }

    @Test(arguments: ["READ", "COUNT"])
    func `lists of tags without a common event are searched in shares, and others are served between`(verb: String) {
        bench.connected("a", "b")
        for number in 0..<40 {
            let event = #"{"type":"A","data":{},"tags":["r:\#(number % 2)"]}"#
            let line = "APPEND note-1 [" + Array(repeating: event, count: 500).joined(separator: ",") + "]"
            _ = bench.ask(line, from: "a")
            // Every other event has another tag, so that lists alternate as well.
            let pair = #"{"type":"A","data":{},"tags":["s:0"]},{"type":"A","data":{},"tags":["s:1"]}"#
            _ = bench.ask(
                "APPEND note-1 [" + Array(repeating: pair, count: 250).joined(separator: ",") + "]", from: "a")
        }
        for tags in ["r:0,r:1", "s:0,s:1", "s:1,s:0"] {
            bench.receive("\(verb) events tags=\(tags)\n", from: "b")
            while bench.endTurn() {
                let before = bench.log.readCount
                bench.receive("PING\n", from: "a")
                bench.endTurn()
                expect(bench.hear("a") == [#"+ {"position":40000}"#])
                expect(bench.log.readCount == before, "no event has both")
            }
            expect(bench.hear("b") == [#"+ {"count":0,"position":40000}"#])
        }
    }

    @Test func `every connection gets its share, not always the same one first`() {
        let names = (0..<40).map { "r\($0)" }
        bench.connected("a")
        fill(10_000)
        for name in names { bench.connected(name) }
        for name in names { bench.receive("SUBSCRIBE events from=1\n", from: name) }
        for _ in 0..<10 { bench.endTurn() }
        let counts = names.map { bench.hear($0).count }
        expect(counts.allSatisfy { $0 > 50 }, "\(counts)")
    }
}
