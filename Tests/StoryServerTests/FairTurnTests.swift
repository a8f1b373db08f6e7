import LoopSupport
import StoryCore
import StoryEngine
import StoryLog
@testable import StoryServer
import Testing
import TestSupport

/// What one turn takes up of what many clients sent, and how much goes on at once.
struct FairTurnTests {
    private let append = #"APPEND note-1 {"type":"A","data":{}}"# + "\n"

    @Test func `who asks for little does not wait for all that others sent`() {
        let bench = LoopBench()
        let writers = (1...40).map { "w\($0)" }
        for writer in writers { bench.connected(writer) }
        bench.connected("a")
        for writer in writers { bench.receive(String(repeating: append, count: 20), from: writer) }
        expect(bench.endTurn())
        bench.receive("PING\n", from: "a")
        expect(bench.endTurn())
        expect(bench.hear("a") == [#"+ {"position":0}"#])
        expect(bench.log.head < Position(800))
        bench.run()
        expect(bench.log.committed == Position(800))
        for writer in writers { expect(bench.hear(writer).count == 20) }
    }

    @Test func `what one client sent at once is one commit, whatever turns it takes`() {
        let bench = LoopBench()
        bench.connected("a")
        bench.receive(String(repeating: append, count: 800), from: "a")
        expect(bench.endTurn())
        expect(bench.log.head < Position(800) && bench.log.committed == .zero)
        bench.run()
        expect(bench.log.committed == Position(800))
        expect(bench.hear("a").count == 800)
        expect(bench.ask("STATS", from: "a").first?.contains(#""commits":{"count":1,"#) == true)
    }

    @Test func `each connection has its share of what is left over`() {
        let bench = LoopBench()
        bench.connected("much", "little")
        bench.receive(String(repeating: append, count: 5_000), from: "much")
        bench.receive(String(repeating: append, count: 100), from: "little")
        var turns = 0
        while bench.hear("little").isEmpty {
            bench.endTurn()
            turns += 1
            expect(turns < 20)
        }
        expect(bench.log.committed < Position(4_000))
        bench.run()
        expect(bench.hear("much").count > 1_000)
    }

    @Test(arguments: [10, 9_000])
    func `who asks beside hundreds of pipelines waits for a part of each, whatever it asks`(
        size: Int
    ) throws {
        let bench = LoopBench()
        bench.connected("a")
        let form = #"{"id":"u","name":"N","email":"u@x.org","prefecture":13}"#
        expect(bench.ask("POST users \(form)", from: "a").count == 1)
        let text = String(repeating: "x", count: size)
        let story = #"{"id":"1","title":"T","message":"\#(text)","sender":"u","recipient":"u"}"#
        expect(bench.ask("POST stories \(story)", from: "a").count == 1)
        let others = (1...400).map { "r\($0)" }
        for other in others { bench.connected(other) }
        for other in others { bench.receive(String(repeating: "GET stories/1\n", count: 1_000), from: other) }
        bench.receive("PING\n", from: "a")
        var (turns, heard) = (0, [String]())
        while heard.isEmpty, turns < 1_000 {
            bench.endTurn()
            turns += 1
            heard = bench.hear("a")
        }
        let answered = others.map { bench.hear($0).count }
        expect(heard == [#"+ {"position":2}"#])
        expect(answered.reduce(0, +) < 3_000, "\(turns) turns")
        expect(answered.allSatisfy { $0 > 0 })
    }

    @Test func `who asks anew does not keep those from their shares who sent much`() {
        let bench = LoopBench()
        bench.connected("much")
        let others = (1...300).map { "o\($0)" }
        for other in others { bench.connected(other) }
        bench.receive(String(repeating: "PING\n", count: 2_000), from: "much")
        bench.endTurn()
        _ = bench.hear("much")
        for _ in 0..<10 {
            for other in others { bench.receive("PING\n", from: other) }
            bench.endTurn()
            expect(bench.hear("much").count >= 4)
        }
    }

    @Test func `a connection has no more requests in a turn than its limit`() {
        var limits = Limits()
        limits.inflight = 3
        let bench = LoopBench(limits)
        bench.connected("a")
        bench.receive(String(repeating: "PING\n", count: 10), from: "a")
        bench.endTurn()
        expect(bench.hear("a").count == 3)
        bench.run()
        expect(bench.hear("a").count == 7)
    }

    @Test(arguments: [1, 2]) func `counts beyond the limit wait their turn`(_ limit: Int) {
        var limits = Limits()
        limits.counts = limit
        let bench = LoopBench(limits)
        bench.connected("a", "first", "second")
        for user in ["u1", "u2"] {
            let form = #"{"id":"\#(user)","name":"N","email":"\#(user)@x.org","prefecture":13}"#
            _ = bench.ask("POST users \(form)", from: "a")
        }
        let message = #"POST messages {"text":"T","sender":"u1","recipient":"u2"}"# + "\n"
        bench.receive(String(repeating: message, count: 2_000), from: "a")
        bench.run()
        let count = "COUNT messages sender=u1 recipient=u2 unseen=true since=2020-01-01T00:00:00Z\n"
        for name in ["first", "second"] { bench.receive(count, from: name) }
        var (turns, ends, answers) = (0, [String: Int](), [String]())
        while ends.count < 2, turns < 10_000 {
            bench.endTurn()
            turns += 1
            for name in ["first", "second"] {
                let heard = bench.hear(name)
                if !heard.isEmpty { ends[name] = turns }
                answers += heard
            }
        }
        expect(answers.map { $0.number("count") } == [2_000, 2_000])
        let (first, second) = (ends["first", default: 0], ends["second", default: 0])
        expect(limit == 1 ? second >= first + first / 2 : second <= first + 1, "after \(first) and \(second) turns")
    }

    /// A store with so many messages, and connections to it.
    private func bench(messages count: Int, _ names: [String]) -> LoopBench {
        let bench = LoopBench()
        bench.connected("writer")
        for name in names { bench.connected(name) }
        let form = #"{"id":"u","name":"N","email":"u@x.org","prefecture":13}"#
        _ = bench.ask("POST users \(form)", from: "writer")
        let message = #"POST messages {"text":"T","sender":"u","recipient":"u"}"# + "\n"
        bench.receive(String(repeating: message, count: count), from: "writer")
        bench.run()
        return bench
    }

    @Test(arguments: ["LIST messages limit=1000\n", "READ events limit=1000\n"])
    func `a short answer does not wait for hundreds of long ones`(long: String) {
        let others = (1...150).map { "o\($0)" }
        let bench = bench(messages: 1_500, others + ["a"])
        for other in others { bench.receive(String(repeating: long, count: 3), from: other) }
        var answered = 0
        while answered < 155 {
            bench.endTurn()
            answered += others.map { bench.hear($0).count { $0.hasPrefix("+") } }.reduce(0, +)
        }
        for request in ["LIST messages limit=2\n", "READ events limit=2\n"] {
            bench.receive(request, from: "a")
            var (turns, heard) = (0, [String]())
            while !heard.contains(where: { $0.hasPrefix("+") }), turns < 1_000 {
                bench.endTurn()
                turns += 1
                heard += bench.hear("a")
            }
            expect(turns <= 2)
        }
        bench.run()
        for other in others { answered += bench.hear(other).count { $0.hasPrefix("+") } }
        expect(answered == 450)
    }

    @Test func `answers that begin leave a share to those that go on`() {
        let others = (1...150).map { "o\($0)" }
        let bench = bench(messages: 1_500, others + ["long"])
        bench.receive("READ events limit=1000\n", from: "long")
        var (turns, rows) = (0, 0)
        while rows < 1_000, turns < 1_000 {
            for other in others { bench.receive("LIST messages limit=10\n", from: other) }
            bench.endTurn()
            turns += 1
            rows += bench.hear("long").count { $0.hasPrefix("=") }
        }
        expect(turns < 20)
        bench.run()
        for other in others { expect(bench.hear(other).count { $0.hasPrefix("+") } == turns) }
    }
}
