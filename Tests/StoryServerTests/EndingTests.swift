import LoopSupport
import StoryCore
import StoryEngine
import StoryLog
@testable import StoryServer
import Testing
import TestSupport

/// How connections and subscriptions end.
struct EndingTests {
    private let bench = LoopBench()

    private func follow(_ name: String) {
        bench.connected(name)
        _ = bench.ask(#"APPEND note-1 {"type":"A","data":{}}"#, from: name)
        _ = bench.ask("SUBSCRIBE events from=1", from: name)
    }

    @Test func `whatever ends a subscription, its end tells where to go on`() {
        follow("quits")
        expect(
            bench.ask("QUIT", from: "quits") == [
                #">1 {"end":"quit","resume":2}"#, #"+ {"bye":true,"position":1}"#,
            ])
        follow("rambles")
        let long = bench.ask(String(repeating: "x", count: 1_100_000), from: "rambles")
        expect(long.first == #">1 {"end":"tooLarge","resume":3}"#)
        expect(long.last?.text("code") == "tooLarge")
        follow("errs")
        _ = bench.ask("!", from: "errs")
        _ = bench.ask("!", from: "errs")
        let third = bench.ask("!", from: "errs")
        expect(third.first == #">1 {"end":"syntax","resume":4}"#)
        expect(third.last?.text("code") == "syntax")
        expect(bench.isFinished("errs"))
        follow("stays")
        bench.server.signalReceived(15)
        bench.run()
        expect(
            bench.hear("stays") == [
                #">1 {"end":"draining","resume":5}"#, #"* {"draining":true,"position":4}"#,
            ])
    }

    @Test func `a log that cannot be read ends a subscription behind what was really sent`() {
        follow("a")
        bench.log.readFailure = .corrupt("bit rot", at: Position(2))
        let heard = bench.ask(#"APPEND note-1 {"type":"A","data":{}}"#, from: "a")
        expect(heard.first?.number("position") == 2)
        expect(heard.last?.hasPrefix(#">1 {"end":"the store is damaged"#) == true)
        expect(heard.last?.hasSuffix(#""resume":2,"damaged":true}"#) == true)
        bench.log.readFailure = nil
        expect(bench.ask("UNSUBSCRIBE 1", from: "a").map { $0.text("code") } == ["notFound"])
    }

    @Test func `an answer that is cut short by the program's end is closed before anything else is said`() {
        bench.connected("a")
        for _ in 0..<3 {
            _ = bench.ask(
                #"APPEND note-1 {"type":"A","data":"\#(String(repeating: "x", count: 200_000))"}"#, from: "a")
        }
        bench.setTaking("a", false)
        bench.send("@r READ events", from: "a")
        bench.server.signalReceived(15)
        bench.run()
        bench.setTaking("a", true)
        bench.run()
        let heard = bench.hear("a")
        expect(heard.dropLast(2).allSatisfy { $0.hasPrefix("=@r ") })
        expect(heard.suffix(2).map { String($0.prefix(2)) } == ["-@", "* "])
        expect(heard.suffix(2).first?.text("code") == "draining")
    }
}
