import LoopSupport
import StoryCore
import StoryEngine
import StoryLog
@testable import StoryServer
import Testing
import TestSupport

/// Requests that look at much, on several connections, hold nobody up.
struct HeavyRequestTests {
    private let bench = LoopBench()
    private let messages = 3_000
    private let likes = 2_000

    /// u1 sends u2 messages of which nobody saw one, and likes and unlikes a story many times.
    init() {
        bench.connected("a")
        for user in ["u1", "u2"] {
            let form = #"{"id":"\#(user)","name":"N","email":"\#(user)@x.org","prefecture":13}"#
            expect(bench.ask("POST users \(form)", from: "a").first?.hasPrefix("+") == true)
        }
        let story = #"{"id":"s1","title":"T","message":"M","sender":"u1","recipient":"u2"}"#
        _ = bench.ask("POST stories \(story)", from: "a")
        let message = #"POST messages {"text":"T","sender":"u1","recipient":"u2"}"# + "\n"
        bench.receive(String(repeating: message, count: messages), from: "a")
        bench.run()
        let pair = "LIKE stories/s1 {\"user\":\"u1\"}\nUNLIKE stories/s1 {\"user\":\"u1\"}\n"
        bench.receive(String(repeating: pair, count: likes / 2), from: "a")
        bench.run()
        _ = bench.hear("a")
    }

    /// What one turn may look at: its budget, of which a counted key takes an eighth, and one page that overdraws it.
    private let turn = UInt64(FairQueue.turn.count(of: .key) + 3_000)

    @Test func `a PING is answered within one turn's budget beside a hundred heavy requests`() {
        let head = bench.ask("PING", from: "a")
        let heavy = [
            "COUNT messages between=u1,u2 sender=u1 unseen=true", "LIST messages unseen=false limit=1",
            "COUNT messages sender=u1 recipient=u2 unseen=true", "GET stories/s1 at=\(messages + likes)",
            "READ events types=Nope limit=10000", "READ events tags=nope limit=10000", "COUNT events tags=nope,none",
        ]
        let names = heavy.indices.map { "h\($0)" }
        for name in names { bench.connected(name) }
        for (name, line) in zip(names, heavy) {
            bench.receive(String(repeating: line + "\n", count: 20), from: name)
        }
        var turns = 0
        var isPending = true
        while isPending {
            let before = bench.models.lookCount + bench.log.readCount
            bench.receive("PING\n", from: "a")
            isPending = bench.endTurn()
            expect(bench.hear("a") == head)
            expect(bench.models.lookCount + bench.log.readCount - before <= turn)
            turns += 1
        }
        expect(turns > 50)
        let answers = names.map { bench.hear($0) }
        expect(answers.allSatisfy { $0.count == 20 && Set($0).count == 1 }, "\(answers.map(\.first))")
        expect(answers[0].first?.number("count") == UInt64(messages))
        expect(answers[1].first?.text("next") != nil, "the page was ended early")
        expect(answers[2].first?.number("count") == UInt64(messages))
    }

    @Test func `a count goes on after a turn is undone, and is exact`() {
        bench.connected("b")
        let head = bench.ask("PING", from: "a").first?.number("position")
        bench.receive("COUNT messages sender=u1 recipient=u2 unseen=true\n", from: "b")
        bench.endTurn()
        expect(bench.hear("b") == [], "it is under way")
        bench.log.commitFailure = .full("no room")
        bench.receive(#"POST messages {"text":"T","sender":"u1","recipient":"u2"}"# + "\n", from: "a")
        bench.run()
        expect(bench.hear("a").first?.text("code") == "full")
        let answer = bench.hear("b")
        expect(answer.first?.number("count") == UInt64(messages))
        expect(answer.first?.number("position") == head)
    }
}
