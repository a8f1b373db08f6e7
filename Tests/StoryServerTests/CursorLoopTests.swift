import LoopSupport
import StoryCore
import StoryEngine
import StoryServer
import TestSupport
import Testing

/// Definitions of cursors and turns that are undone, over the shipped loop.
struct CursorLoopTests {
    private let fixture = WorkerBench()
    private var bench: LoopBench { fixture.bench }

    // MARK: Definitions

    @Test(arguments: [
        (#"{"on":"events/order-*","window":4,"attempts":3}"#, #""changed":false"#),
        (#"{"on":"events/order-*","window":5,"attempts":3}"#, #""version":2"#),
        (#"{"on":"events/order-1","window":4}"#, #""code":"exists""#),
        (#"{"on":"events/order-*","tags":["a"]}"#, #""field":"tags""#),
        (#"{"on":"events/order-*","types":["A"]}"#, #""field":"types""#),
        (#"{"on":"events/order-*","query":{"tags":["a"]}}"#, #""field":"query""#),
        (#"{"on":"events/order-*","from":"end"}"#, #""field":"from""#), (#"{"on":7}"#, #""field":"on""#),
        (#"{"on":"orders"}"#, #""field":"on""#), (#"{"on":"events/cursor-*"}"#, #""field":"on""#),
        (#"{"on":"events/order"}"#, #""field":"on""#), (#"{"window":0}"#, #""field":"window""#),
        (#"{"window":1.5}"#, #""field":"window""#), (#"{"lease":999}"#, #""field":"lease""#),
        (#"{"attempts":101}"#, #""field":"attempts""#), (#"{"on":"events/order-*","shares":2}"#, #""field":"shares""#),
        (#"{"from":0}"#, #""field":"from""#), (#"{"tags":["a b"]}"#, #""field":"tags[0]""#),
        (#"{"query":{"any":[{}]}}"#, #""field":"query.any[0]""#), (#"{"own":1}"#, #""rule":"unknownField""#),
        ("[1]", #""code":"syntax""#),
    ])
    func `a definition is the same, changed or refused`(text: String, answer: String) {
        let line = bench.ask("CURSOR billing \(text)", from: "a").first ?? ""
        expect(line.contains(answer), "\(line)")
    }

    @Test func `a cursor selects by tags, types and queries, and begins where it is told`() {
        for (number, tag) in ["a", "b", "a"].enumerated() {
            _ = bench.ask(
                #"APPEND case-\#(number) {"type":"T\#(number)","tags":["\#(tag)"],"data":1}"#, from: "a")
        }
        for (name, text, expected) in [
            ("t", #"{"tags":["a"]}"#, [14, 16]), ("y", #"{"types":["T1","T2"]}"#, [15, 16]),
            ("q", #"{"query":{"any":[{"stream":"case-0"},{"tags":["b"]}]}}"#, [14, 15]),
            ("f", #"{"on":"events/case-*","from":15}"#, [15, 16]),
        ] as [(String, String, [UInt64])] {
            bench.connected(name)
            expect(bench.ask("CURSOR \(name) \(text)", from: name).first?.hasPrefix("+") == true)
            expect(fixture.delivered(bench.ask("WORK \(name)", from: name)) == expected, "\(text)")
        }
        expect(bench.ask("CURSORS", from: "a").count == 6)
    }

    // MARK: Undone turns

    @Test func `a move that is undone ends the holding, and the next one begins where the log is`() {
        _ = fixture.work("w")
        _ = bench.ask("ACK billing@1", from: "w")
        bench.run()
        _ = bench.hear("w")
        bench.log.commitFailure = .full("no room")
        var lines = bench.ask(#"APPEND invoice-1 cursor=billing@3 {"type":"Billed","data":1}"#, from: "w")
        bench.tick(12)
        lines += bench.hear("w")
        expect(lines.first?.text("code") == "full" && lines.last == #">1 {"end":"undone","resume":2}"#, "\(lines)")
        let next = bench.ask("WORK billing", from: "v")
        expect(next.first?.number("at") == 1 && fixture.delivered(next).first == 2, "\(next)")
    }

    @Test func `the figures tell how far the slowest cursor is behind`() {
        _ = fixture.work("w")
        _ = bench.ask("FAIL billing@1 park=true", from: "w")
        _ = bench.ask("ACK billing@1", from: "v")
        let figures = bench.ask("METRICS", from: "a").joined()
        expect(figures.contains("storykeep_cursor_parked_events 1"))
        expect(figures.contains("storykeep_cursor_lag_events 13"))
        expect(figures.contains(#"storykeep_cursor_lost_total{of=\"writes\"} 1"#))
    }
}
