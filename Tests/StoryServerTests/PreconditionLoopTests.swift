import LoopSupport
import StoryCore
import StoryLog
import Testing
import TestSupport

@testable import StoryServer

/// `unless=` in the loop: writes of one turn that exclude each other, turns that are undone, looks over many turns.
struct PreconditionLoopTests {
    private let bench = LoopBench()

    private func append(_ tags: [String], unless: String? = nil, data: Int = 1, key: String? = nil) -> String {
        let tags = tags.map { "\"\($0)\"" }.joined(separator: ",")
        let options = (unless.map { "unless=\($0) " } ?? "") + (key.map { "key=\($0) " } ?? "")
        return #"APPEND note-1 \#(options){"type":"A","data":\#(data),"tags":[\#(tags)]}"#
    }

    private func only(_ tag: String) -> String { #"{"tags":["\#(tag)"]}"# }

    @Test func `of writes that exclude each other one succeeds, also in one turn and of one client`() {
        let names = (0..<5).map { "c\($0)" }
        bench.connected(names[0])
        names.dropFirst().forEach { bench.connected($0) }
        for name in names {
            let line = append(["username:ann"], unless: only("username:ann")) + "\n"
            bench.receive(line + line, from: name)
        }
        bench.run()
        let heard = names.flatMap { bench.hear($0) }
        expect(heard.count == 10 && heard.count { $0.hasPrefix("+") } == 1, "\(heard)")
        for line in heard where line.hasPrefix("-") {
            expect(line.hasPrefix(#"- {"code":"conflict","message":"an event of unless[0] came after 0: A in note-1"#))
            expect(line.hasSuffix(#""unless":0,"after":0,"position":1,"stream":"note-1","type":"A"}"#), "\(line)")
        }
    }

    @Test func `after a turn that was undone they hold as before it`() {
        bench.connected("a", "b")
        bench.log.commitFailure = .full("no room")
        bench.receive(append(["x"]) + "\n", from: "a")
        bench.receive(append(["y"], unless: only("x")) + "\n", from: "b")
        bench.run()
        // The conflict rested on an event that is undone.
        expect(bench.hear("a").map { $0.text("code") } == ["full"])
        expect(bench.hear("b").map { $0.text("code") } == ["full"])
        bench.log.commitFailure = nil
        bench.tick(20)
        expect(bench.ask(append(["y"], unless: only("x")), from: "b").first?.number("version") == 1)
    }

    /// Events with one of two tags, in turn, so that a look for both of them goes through all.
    private func fill(_ count: Int = 40) {
        for _ in 0..<count {
            let pair = #"{"type":"A","data":{},"tags":["s:0"]},{"type":"B","data":{},"tags":["s:1"]}"#
            let pairs = Array(repeating: pair, count: 250).joined(separator: ",")
            _ = bench.ask("APPEND old-1 [\(pairs)]", from: "a")
        }
    }

    private let both = #"{"tags":["s:0","s:1"]}"#

    @Test func `a long look holds up nobody else, and its write is counted and answered once`() {
        bench.connected("a", "b", "c")
        fill()
        func appends() -> Int {
            let stats = bench.ask("STATS", from: "a").first ?? ""
            return stats.firstMatch(of: /"APPEND":\{"count":([0-9]+)/).flatMap { Int($0.1) } ?? 0
        }
        let before = appends()
        bench.receive("@1 " + append(["z"], unless: both) + "\n@2 PING\n", from: "b")
        bench.receive("@3 " + append(["s:1"], unless: #"[\#(both),{"types":["Never"]}]"#, key: "k") + "\n", from: "c")
        var turns = 0
        while bench.endTurn() {
            turns += 1
            bench.receive("PING\n", from: "a")
            bench.endTurn()
            expect(bench.hear("a").count == 1)
        }
        expect(turns > 2, "\(turns)")
        let heard = bench.hear("b")
        expect(heard.count == 2 && heard[0].hasPrefix("+@1 ") && heard[1].hasPrefix("+@2 "), "\(heard)")
        expect(bench.hear("c").count == 1)
        expect(appends() == before + 2)
        expect(bench.ask("COUNT events/note-1", from: "a").first?.number("count") == 2)
    }

    @Test func `what comes during a long look is seen by the write`() {
        bench.connected("a", "b")
        fill()
        bench.receive("@1 " + append(["z"], unless: both) + "\n", from: "b")
        bench.endTurn()
        bench.receive(#"APPEND new-1 {"type":"A","data":{},"tags":["s:0","s:1"]}"# + "\n", from: "a")
        bench.run()
        _ = bench.hear("a")
        let heard = bench.hear("b")
        expect(heard.count == 1 && heard[0].contains(#""position":20001,"stream":"new-1","type":"A""#), "\(heard)")
    }

    @Test func `a client that leaves during its look writes nothing, and the next request has another look`() {
        bench.connected("a", "b")
        fill()
        bench.receive(append(["z"], unless: both) + "\n", from: "b")
        bench.endTurn()
        bench.close("b")
        bench.run()
        expect(bench.ask("COUNT events/note-1", from: "a").first?.number("count") == 0)
        bench.connected("c")
        bench.receive(append(["z"], unless: both) + "\n" + append(["z"], unless: only("s:0")) + "\n", from: "c")
        bench.run()
        let heard = bench.hear("c")
        expect(heard.count == 2 && heard[0].hasPrefix("+ ") && heard[1].contains(#""position":1,"#), "\(heard)")
    }
}
