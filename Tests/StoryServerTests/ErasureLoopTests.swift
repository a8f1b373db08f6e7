import Foundation
import LoopSupport
import StoryCore
import StoryServer
import StoryStorage
import TestSupport
import Testing

@testable import StoryLog

/// Erasures that the loop carries out over a data directory.
struct ErasureLoopTests {
    private static let canary = "Canary"

    /// A store with orders of two streams and a note, whose content has canaries.
    private static func bench(_ folder: TemporaryFolder, models: Bool = false) throws -> StoredLoop {
        let bench = try StoredLoop(folder.store)
        if models {
            let text = "from order; body: text; on Placed { body = data.text }"
            expect(bench.settled(#"DEFINE orders "\#(text)""#).last?.hasPrefix("+") == true)
        }
        for number in 1...40 {
            let line =
                #"APPEND order-\#(number % 4) key=k\#(number) {"type":"Placed","tags":["of:\#(number % 3)"],"#
                + #""meta":{"m":"\#(canary)M\#(number)"},"data":{"text":"\#(canary)Order\#(number)!"}}"#
            expect(bench.settled(line).last?.hasPrefix("+") == true)
        }
        expect(bench.settled(#"APPEND note-1 {"type":"Wrote","data":{"text":"A note"}}"#).last?.hasPrefix("+") == true)
        return bench
    }

    @Test func `a stream is erased: nothing of it is read, and nothing of it is in any file`() throws {
        let folder = TemporaryFolder()
        let bench = try Self.bench(folder, models: true)
        expect(bench.settled("COUNT orders").last?.contains(#""count":4"#) == true)
        expect(!FilesWith.any([Self.canary + "Order"], in: folder.store).isEmpty)
        let dry = bench.settled("ERASE events/order-1 dry=true")
        expect(dry.first == #"= {"stream":"order-1","events":10,"bytes":\#(Self.bytes(of: dry[0])),"labelled":10}"#)
        let answer = try require(bench.settled(#"ERASE events/order-1 reason="asked for" expect=10"#).last)
        expect(answer.hasPrefix(#"+ {"id":"1","stream":"erasure-1","version":2,"#), "\(answer)")
        expect(answer.contains(#""events":10,"streams":1,"#) && answer.contains(#""labelled":10"#))
        let read = bench.settled("READ events/order-1")
        expect(read.dropLast().count == 10)
        for line in read.dropLast() {
            expect(line.contains(#""erased":"#) && line.contains(#""key":"k"#) && line.contains(#""tags":["#))
            expect(!line.contains("data") && !line.contains("meta"))
        }
        bench.settle()
        expect(bench.settled("GET orders/1").last?.contains("notFound") == true)
        expect(bench.settled("COUNT orders").last?.contains(#""count":3"#) == true)
        for number in stride(from: 1, to: 40, by: 4) {
            for part in ["M\(number)\"", "Order\(number)!"] {
                let found = FilesWith.any([Self.canary + part], in: folder.store)
                expect(found == [], "\(part)")
            }
        }
        expect(!FilesWith.any([Self.canary + "Order2!"], in: folder.store).isEmpty)
        expect(bench.settled("VERIFY").last?.contains(#""verified":"#) == true)
        let listed = bench.settled("ERASURES")
        expect(listed.first?.contains(#""done":"#) == true && listed.first?.contains(#""reason":"asked for""#) == true)
        expect(bench.settled(#"ERASE events/order-1 reason="again""#).last?.contains(#""code":"gone""#) == true)
        bench.stop()
        let again = try StoredLoop(folder.store)
        again.settle()
        expect(again.settled("READ events/order-1").dropLast().allSatisfy { $0.contains(#""erased":"#) })
        expect(again.settled("COUNT orders").last?.contains(#""count":3"#) == true)
        expect(again.settled("VERIFY").last?.contains(#""verified":"#) == true)
        again.stop()
    }

    private static func bytes(of line: String) -> String {
        String(line.components(separatedBy: #""bytes":"#).last?.prefix { $0.isNumber } ?? "")
    }

    @Test(arguments: [
        ("events/order-* reason=x types=Placed", 40), ("events tags=of:1 reason=x", 14),
        (#"events query={"any":[{"tags":["of:0"],"stream":"order-1"},{"tags":["of:2"]}]} reason=x"#, 16),
        ("events/order-1 from=3 to=4 reason=x", 2), ("events/order-* from=5 to=8 reason=x", 4),
    ])
    func `the events that READ shows are taken`(target: String, count: Int) throws {
        let folder = TemporaryFolder()
        let bench = try Self.bench(folder)
        let shown = bench.settled("READ \(target.replacingOccurrences(of: " reason=x", with: "")) limit=100")
        expect(shown.count - 1 == count)
        let answer = try require(bench.settled("ERASE \(target)").last)
        expect(answer.contains(#""events":\#(count),"#), "\(answer)")
        let erased = bench.settled("READ events limit=1000").filter { $0.contains(#""erased":"#) }
        expect(
            erased.map { $0.prefix { $0 != "," } }
                == shown.dropLast().map { $0.prefix { $0 != "," } })
        bench.stop()
    }

    @Test(arguments: [
        ("ERASE events reason=x", "invalid", "tags"), ("ERASE events/order-1", "invalid", "reason"),
        (#"ERASE events query={"types":["Placed"]} reason=x"#, "invalid", "query.tags"),
        (#"ERASE events/order-1 reason="""#, "invalid", "reason"), ("ERASE events/story-1 reason=x", "denied", "story"),
        ("ERASE events/model-orders reason=x", "denied", "model"),
        ("ERASE events/erasure-1 reason=x", "denied", "erasure"),
        (#"ERASE events query={"any":[{"stream":"user-*"}]} reason=x"#, "denied", "user"),
        ("ERASE events/order-9 reason=x", "notFound", ""), ("ERASE events/order-1 reason=x expect=9", "conflict", "10"),
        ("ERASE events/order-1 dry=true key=a", "invalid", "key"), ("ERASE stories/1 reason=x", "notFound", ""),
        ("ERASE stories reason=x", "invalid", "ID"), ("ERASE orders/1 reason=x", "unknown", "stories"),
        ("ERASE stories/1 reason=x tags=a", "unknown", "tags"),
        ("ERASE stories/1 reason=x scope=all", "unknown", "scope"),
        ("ERASE events/order-1 reason=x scope=all", "unknown", "scope"),
        ("ERASE users/1 reason=x scope=some", "invalid", "profile, own, all"),
        ("ERASE events/order-1 reason=x labels=none", "invalid", "keep, drop"), ("ERASE users/1", "invalid", "reason"),
    ])
    func `a wrong erasure is refused, and nothing is erased`(line: String, code: String, word: String) throws {
        let folder = TemporaryFolder()
        let bench = try Self.bench(folder)
        let answer = try require(bench.settled(line).last)
        expect(answer.contains(#""code":"\#(code)""#) && (word.isEmpty || answer.contains(word)), "\(answer)")
        expect(bench.settled("READ events limit=100").allSatisfy { !$0.contains(#""erased":"#) })
        expect(bench.settled("ERASURES") == [#"+ {"count":0,"position":41}"#])
        bench.stop()
    }

    @Test func `a repeated key waits for the same end, and another request of it is refused`() throws {
        let folder = TemporaryFolder()
        let bench = try Self.bench(folder)
        let first = bench.settled("ERASE events/order-1 reason=x key=e1").last
        expect(bench.settled("ERASE events/order-1 reason=x key=e1").last == first)
        expect(bench.settled("ERASE events/order-2 reason=x key=e1").last?.contains("keyReused") == true)
        expect(bench.settled("ERASE events/order-1 reason=y key=e1").last?.contains("keyReused") == true)
        // A write that is repeated does not bring the content back.
        let again =
            #"APPEND order-1 key=k1 {"type":"Placed","tags":["of:1"],"meta":{"m":"\#(Self.canary)M1"},"#
            + #""data":{"text":"\#(Self.canary)Order1!"}}"#
        expect(bench.settled(again).last?.contains(#""repeated":true"#) == true)
        expect(FilesWith.any([Self.canary + "Order1!"], in: folder.store) == [])
        bench.stop()
    }

    @Test func `erasures that come together end together, and writes go on`() throws {
        let folder = TemporaryFolder()
        let bench = try Self.bench(folder)
        for name in ["b", "c", "d"] { bench.loop.connected(name) }
        bench.loop.send("ERASE events/order-1 reason=x", from: "b")
        bench.loop.send("ERASE events/order-2 reason=x", from: "c")
        bench.loop.send("ERASE events/order-3 reason=x", from: "d")
        for number in 1...50 {
            expect(
                bench.settled(#"APPEND order-4 {"type":"Placed","data":{"n":\#(number)}}"#).last?.hasPrefix("+") == true
            )
        }
        for name in ["b", "c", "d"] {
            expect(bench.loop.hear(name).last?.contains(#""media":"#) == true, "\(name)")
        }
        for number in 1...40 where number % 4 > 0 {
            expect(FilesWith.any(["\(Self.canary)Order\(number)!"], in: folder.store) == [])
        }
        expect(bench.settled("ERASURES").count == 4)
        expect(bench.settled("ERASURES limit=2").last?.contains(#""next":2"#) == true)
        expect(bench.settled("ERASURES after=2").count == 2)
        bench.stop()
    }

    /// A copy has none of the content, and its erasures end all the same.
    @Test(arguments: 0..<12) func `a copy of a store in the middle of an erasure ends it`(steps: Int) throws {
        let folder = TemporaryFolder()
        let bench = try Self.bench(folder)
        bench.loop.send("ERASE events/order-1 key=e1 reason=x", from: "a")
        for _ in 0..<steps {
            if bench.held.count > 0 { bench.held.run(0) }
            bench.loop.tick()
        }
        bench.end()
        let copy = folder.path + "/copy"
        do {
            let log = try LMDBEventLog(
                in: try DataDirectory(folder.store, for: .reading), now: Instant(milliseconds: 1))
            defer { log.close() }
            _ = try log.copier().run(to: copy)
        }
        let copied = try StoredLoop(copy)
        expect(copied.pass { copied.settled("ERASURES").first?.contains(#""done":"#) == true }, "\(steps)")
        let ends = copied.settled("READ events types=ErasureDone")
        expect(ends.count == 2, "\(ends)")
        let again = copied.settled("ERASE events/order-1 key=e1 reason=x")
        expect(again.last?.contains(#""media":"#) == true, "\(again)")
        expect(copied.settled("VERIFY").last?.contains(#""verified":"#) == true)
        copied.stop()
        let restarted = try StoredLoop(copy)
        restarted.loop.tick(20)
        expect(restarted.settled("READ events types=ErasureDone") == ends)
        restarted.stop()
    }

    /// The end of the process with each piece of work beside the loop still to be done.
    @Test(arguments: 0..<40) func `an erasure that was cut off is carried out by the next start`(steps: Int) throws {
        let folder = TemporaryFolder()
        let bench = try Self.bench(folder, models: true)
        bench.loop.send("ERASE events/order-1 reason=x", from: "a")
        for _ in 0..<steps {
            if bench.held.count > 0 { bench.held.run(0) }
            bench.loop.tick()
        }
        let isAnswered = bench.loop.hear("a").contains { $0.contains(#""media":"#) }
        bench.end()
        let again = try StoredLoop(folder.store)
        expect(again.loop.ask("READ events/order-1", from: "a").dropLast().allSatisfy { $0.contains(#""erased":"#) })
        again.settle()
        for _ in 0..<20 where again.settled("ERASURES").first?.contains(#""done":"#) != true { again.loop.tick(2) }
        expect(again.settled("ERASURES").first?.contains(#""done":"#) == true, "\(steps), \(isAnswered)")
        for number in stride(from: 1, to: 40, by: 4) {
            for part in ["M\(number)\"", "Order\(number)!"] {
                let found = FilesWith.any([Self.canary + part], in: folder.store)
                expect(found == [], "\(steps): \(part)")
            }
        }
        expect(again.settled("VERIFY").last?.contains(#""verified":"#) == true)
        expect(again.settled("COUNT events").last?.contains(#""count":4"#) == true)
        again.stop()
    }
}
