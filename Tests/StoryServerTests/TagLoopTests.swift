import LoopSupport
import StoryCore
import StoryLog
import Testing
import TestSupport

@testable import StoryServer

/// Tags in the loop: turns that are undone, subscriptions from catching up to live, memory.
struct TagLoopTests {
    private let bench = LoopBench()

    private func append(_ tags: [String], data: Int = 1) -> String {
        let tags = tags.map { "\"\($0)\"" }.joined(separator: ",")
        return #"APPEND note-1 {"type":"A","data":\#(data),"tags":[\#(tags)]}"#
    }

    @Test func `events of a turn that is undone are not found by their tags, then or later`() {
        bench.connected("a", "b")
        _ = bench.ask(append(["x", "y"]), from: "a")
        for _ in 0..<3 {
            bench.log.commitFailure = .full("no room")
            bench.receive(append(["x", "y"], data: 2) + "\n" + append(["x"], data: 3) + "\n", from: "a")
            bench.run()
            expect(bench.hear("a").map { $0.text("code") } == ["full", "full"])
            bench.log.commitFailure = nil
            for tags in ["x", "y", "x,y", "y,x"] {
                let read = bench.ask("READ events tags=\(tags)", from: "b")
                expect(read.count == 2 && read[0].contains(#""position":1,"#), "\(read)")
                expect(bench.ask("COUNT events tags=\(tags)", from: "b") == [#"+ {"count":1,"position":1}"#])
            }
        }
        // Writes are taken again a second after the disk was full.
        bench.tick(20)
        expect(bench.ask(append(["y"], data: 4), from: "a").first?.number("version") == 2)
        expect(bench.ask("COUNT events tags=x", from: "b") == [#"+ {"count":1,"position":2}"#])
        expect(bench.ask("COUNT events tags=y", from: "b") == [#"+ {"count":2,"position":2}"#])
    }

    @Test(arguments: [1, 1_000, 1_023, 1_024, 1_025, 3_000], ["events", "events/note-*", "events/note-1"])
    func `a subscription gets each event with its tags once, from the past into the present`(
        count: Int, target: String
    ) {
        bench.connected("a", "b")
        func tags(_ number: Int) -> [String] { number % 5 == 0 ? ["x", "m:\(number % 2)"] : ["m:\(number % 2)"] }
        for number in 0..<count { bench.receive(append(tags(number), data: number) + "\n", from: "a") }
        bench.run()
        _ = bench.hear("a")
        bench.receive("SUBSCRIBE \(target) from=1 tags=x,m:0\n", from: "b")
        var heard: [String] = []
        // While it catches up, and after that.
        for number in count..<count + 60 {
            bench.receive(append(tags(number), data: number) + "\n", from: "a")
            bench.endTurn()
            heard += bench.hear("b")
        }
        bench.run()
        heard += bench.hear("b")
        let data: [UInt64] = heard.filter { $0.contains("\"stream\"") }.compactMap { $0.number("data") }
        let expected: [UInt64] = Array(stride(from: 0, to: UInt64(count + 60), by: 10))
        expect(data == expected)
        expect(heard.contains { $0.contains("caughtUp") })
    }

    @Test func `the tags of a subscription are memory of its client`() {
        func kept(_ options: String) -> Int {
            let bench = LoopBench()
            bench.connected("a")
            for _ in 0..<50 { _ = bench.ask("SUBSCRIBE events\(options)", from: "a") }
            return bench.server.kept.account
        }
        let tags = (0..<16).map { "\($0)" + String(repeating: "t", count: 60) }.joined(separator: ",")
        expect(kept(" tags=\(tags)") - kept("") > 50 * 16 * 62)
    }
}
