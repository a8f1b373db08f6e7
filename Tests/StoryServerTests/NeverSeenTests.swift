import LoopSupport
import StoryCore
import StoryServer
import StoryStorage
import TestSupport
import Testing

/// `never` of `MODELS NAME`: the names in a definition that no event had.
struct NeverSeenTests {
    private static let text =
        "from order, oder; n: number; on Placed { n = data.n ?? data.m ?? meta.x.y }\\non Canceled { remove }"
    private let folder = TemporaryFolder()
    private let bench = LoopBench()

    init() { bench.connected("a") }

    private static func never(_ line: String?) -> String {
        guard let line, let start = line.firstRange(of: #""never":"#) else { return "nothing" }
        return String(line[start.upperBound...].dropLast())
    }

    private func never() -> String { NeverSeenTests.never(bench.ask("MODELS orders", from: "a").first) }

    private func never(_ stored: StoredLoop) -> String {
        NeverSeenTests.never(stored.loop.ask("MODELS orders", from: "a").first)
    }

    private func append(_ type: String, _ rest: String, to stream: String = "order-1") -> String {
        bench.ask(#"APPEND \#(stream) {"type":"\#(type)",\#(rest)}"#, from: "a").last ?? ""
    }

    @Test func `names vanish with the first event that has them, and come back where that is undone`() {
        _ = append("Cancelled", #""data":{"m":1}"#)
        _ = append("Canceled", #""data":{}"#, to: "other-1")
        expect(bench.ask("DEFINE orders \"\(NeverSeenTests.text)\"", from: "a").last?.hasPrefix("+") == true)
        expect(never() != "nothing")
        let path = #"{"line":1,"name":"data.n"},{"line":1,"name":"meta.x.y"}"#
        let oder = #"{"line":1,"name":"oder","nearest":"order"}"#
        let canceled = #"{"line":2,"name":"Canceled","nearest":"Cancelled"}"#
        expect(
            never() == #"[{"line":1,"name":"Placed"},{"line":1,"name":"data.m"},"# + "\(path),\(oder),\(canceled)]",
            "\(never())")
        // The event fits nothing, and has the path. What is null is not there.
        _ = append("Placed", #""data":{"n":null,"m":"one"},"meta":{"x":3}"#)
        expect(never() == "[\(path),\(oder),\(canceled)]", "\(never())")
        bench.log.commitFailure = .full("no room")
        expect(append("Placed", #""data":{"n":1},"meta":{"x":{"y":2}}"#).text("code") == "full")
        expect(never() == "[\(path),\(oder),\(canceled)]", "\(never())")
        bench.tick(11)
        expect(append("Placed", #""data":{"n":1},"meta":{"x":{"y":2}}"#).hasPrefix("+"))
        expect(never() == "[\(oder),\(canceled)]", "\(never())")
        _ = append("Canceled", #""data":{}"#, to: "oder-1")
        expect(never() == "[]")
    }

    @Test func `they are the same after a start, and for a definition that takes the rows over or folds them`() throws {
        let stored = try StoredLoop(folder.store)
        _ = stored.settled(#"APPEND order-1 {"type":"Placed","data":{"m":1}}"#)
        _ = stored.settled("DEFINE orders \"\(NeverSeenTests.text)\"")
        let names = [("Canceled", 2), ("data.n", 1), ("meta.x.y", 1), ("oder", 1)]
        let expected = names.sorted { ($0.1, $0.0) < ($1.1, $1.0) }.map { name, line in
            #"{"line":\#(line),"name":"\#(name)"\#(name == "oder" ? #","nearest":"order""# : "")}"#
        }
        expect(never(stored) == "[\(expected.joined(separator: ","))]", "\(never(stored))")
        stored.stop()
        let again = try StoredLoop(folder.store)
        expect(never(again) == "[\(expected.joined(separator: ","))]", "\(never(again))")
        _ = again.settled(#"APPEND order-1 {"type":"Placed","data":{"n":1}}"#)
        let rest = expected.filter { !$0.contains("data.n") }.joined(separator: ",")
        expect(never(again) == "[\(rest)]")
        again.end()
        let third = try StoredLoop(folder.store)
        expect(never(third) == "[\(rest)]")
        _ = third.settled("DEFINE orders \"\(NeverSeenTests.text)\\nsort n\"")
        expect(third.loop.ask("MODELS orders", from: "a").first?.contains(#""definition":2,"state":"ready""#) == true)
        expect(never(third) == "[\(rest)]")
        _ = third.settled("DEFINE orders \"\(NeverSeenTests.text)\\nsort n; note x: number\"")
        expect(third.loop.ask("MODELS orders", from: "a").first?.contains(#""definition":3,"state":"ready""#) == true)
        expect(never(third) == "[\(rest)]")
        third.stop()
    }
}
