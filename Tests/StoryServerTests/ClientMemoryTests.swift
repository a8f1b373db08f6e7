import LoopSupport
import StoryCore
@testable import StoryServer
import Testing
import TestSupport

/// The account of what is kept for clients, of the shipped loop.
struct ClientMemoryTests {
    private static func bench(_ memory: Int) -> LoopBench {
        var limits = Limits()
        limits.memory = memory
        let bench = LoopBench(limits)
        bench.connected("one", "other")
        return bench
    }

    private static var filter: String {
        (0..<64).map { String(repeating: "t", count: 61) + "\(100 + $0)" }.joined(separator: ",")
    }

    @Test func `subscriptions are busy beyond the limit, which says what to do, and what they kept comes back`() {
        let bench = Self.bench(200_000)
        var busy: String?
        var count = 0
        while busy == nil, count < 1_000 {
            let answer = bench.ask("SUBSCRIBE events types=\(Self.filter)", from: "one").first ?? ""
            if answer.hasPrefix("-") { busy = answer } else { count += 1 }
        }
        expect(count > 5 && count < 40, "\(count) subscriptions")
        expect(busy?.text("code") == "busy" && busy?.text("retry") == "later" && busy?.number("limit") == 200_000)
        expect(busy?.contains("UNSUBSCRIBE") == true)
        expect(bench.ask("SUBSCRIBE events", from: "other").first?.text("code") == "busy")
        expect(bench.ask("PING", from: "other").first?.hasPrefix("+") == true)
        expect(bench.ask(#"APPEND note-1 {"type":"A","data":1}"#, from: "other").first?.number("position") == 1)
        for number in 1...count { _ = bench.ask("UNSUBSCRIBE \(number)", from: "one") }
        bench.run()
        expect(bench.ask("SUBSCRIBE events", from: "other").first?.hasPrefix("+") == true)
        bench.close("one")
        bench.run()
        expect(bench.server.kept.account == bench.server.kept.counted)
        expect(bench.server.kept.account < 20_000, "\(bench.server.kept.account) bytes are left")
    }

    @Test func `answers that nobody takes stay within the account, and a client with nothing of its own is answered`() {
        let bench = Self.bench(400_000)
        let data = String(repeating: "x", count: 1_000)
        for _ in 0..<400 { _ = bench.ask(#"APPEND note-1 {"type":"A","data":"\#(data)"}"#, from: "one") }
        let names = (0..<20).map { "reader\($0)" }
        for name in names {
            bench.connected(name)
            bench.setTaking(name, false)
            bench.receive(String(repeating: "READ events limit=400\n", count: 20), from: name)
            bench.run()
        }
        expect(bench.server.kept.account == bench.server.kept.counted)
        expect(bench.server.kept.account < 600_000, "\(bench.server.kept.account) bytes are kept")
        for name in names {
            bench.setTaking(name, true)
            bench.run()
            let closing = bench.hear(name).filter { !$0.hasPrefix("=") }
            expect(closing.count == 20, "\(name) has an answer to each")
        }
        expect(bench.ask("READ events limit=1", from: "other").last?.number("count") == 1)
    }

    @Test func `a client whose own requests fill the account is gone on with, where it takes its answers`() {
        let bench = Self.bench(60_000)
        let padding = String(repeating: " ", count: 50_000)
        bench.receive("APPEND note-1 {", from: "one")
        for _ in 0..<4 {
            bench.receive(padding, from: "one")
            bench.run()
        }
        expect(bench.server.kept.account > 150_000, "the line takes up more than there is")
        bench.receive(#""type":"A","data":1}"# + "\nSTATS\nPING\n", from: "one")
        bench.run()
        let answers = bench.hear("one")
        expect(answers.map { $0.number("position") } == [1, 1, 1], "\(answers)")
        expect(bench.server.kept.account == bench.server.kept.counted)
        expect(bench.server.kept.account < 20_000, "\(bench.server.kept.account) bytes are kept")
    }

    @Test func `STATS is answered however much is kept for others`() {
        let bench = Self.bench(60_000)
        bench.receive("APPEND note-1 {" + String(repeating: " ", count: 200_000), from: "one")
        bench.run()
        expect(bench.server.kept.account > 150_000, "the line takes up more than there is")
        expect(bench.ask("STATS", from: "other").first?.number("position") == 0)
        expect(bench.ask("LIST users", from: "other").first?.text("code") == "busy")
    }

    @Test func `the greeting tells the limit, and STATS what is kept`() {
        let bench = Self.bench(300_000)
        bench.connect("late")
        bench.run()
        expect(bench.hear("late").first?.contains(#""memory":300000"#) == true)
        let stats = bench.ask("STATS", from: "other").first ?? ""
        expect((stats.number("clients") ?? 0) > 4_000)
    }
}
