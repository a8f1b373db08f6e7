import Foundation
import LoopSupport
import StoryCore
import StoryFold
import StoryStorage
import StoryStore
import TestSupport
import Testing

@testable import StoryServer

/// Definitions that differ from the one that answers in indexes, sorts, comments and lines alone: they take its rows over.
struct TakenRowsTests {
    private static let rules = """
        from order
        key note.customer ?? data.customer
        customer: text
        n: number = 0
        tags: set(text, 5)
        last: time
        note customer: text
        history
        on Placed { note.customer = data.customer; customer = data.customer }
        on Placed2, Added { n += data.n; tags += data.tag ?? none
          last = event.time }
        on Left { remove }
        """
    private static let first = rules + "\nindex customer"
    private static let second =
        "// indexed anew\n\nindex tags, n; sort n, last\n" + rules + "\nindex last; sort customer"

    private let folder = TemporaryFolder()

    /// A store with orders, and a model of them that answers.
    private func begun(_ count: Int = 400) throws -> StoredLoop {
        let bench = try StoredLoop(folder.store)
        append(bench, 0..<count)
        expect(bench.loop.hear("a").count == count)
        define(bench, TakenRowsTests.first)
        bench.settle()
        expect(ask(bench, "COUNT orders").number("count") ?? 0 > 20)
        return bench
    }

    private func append(_ bench: StoredLoop, _ numbers: Range<Int>) {
        for number in numbers {
            let (order, tag) = ("order-\(number % 60)", "\"tag\":\"t\(number % 7)\"")
            let line =
                switch number % 9 {
                case 0, 1, 2: #"{"type":"Placed","data":{"customer":"c\#(number % 60 % 45)"}}"#
                case 3: #"{"type":"Added","data":{"n":"three"}}"#
                case 4 where number % 4 == 0: #"{"type":"Left","data":{}}"#
                default: #"{"type":"Placed2","data":{"n":\#(number % 13),\#(tag)}}"#
                }
            bench.loop.receive("APPEND \(order) \(line)\n", from: "a")
        }
        bench.settle()
    }

    private func ask(_ bench: StoredLoop, _ line: String) -> String { bench.loop.ask(line, from: "a").last ?? "" }

    private func define(_ bench: StoredLoop, _ text: String, as name: String = "orders") {
        let quoted = "\"" + text.replacing("\n", with: "\\n") + "\""
        expect(ask(bench, "DEFINE \(name) \(quoted)").hasPrefix("+ "))
    }

    private func model(_ bench: StoredLoop) -> String { bench.loop.ask("MODELS orders", from: "a").first ?? "" }

    /// The tables of a stored definition, as digests.
    private func digests(_ name: String, _ text: String) throws -> [ModelDigest] {
        let declaration = KindDeclaration(model: name, try Definition.read(text), number: 1)
        let tables = try Catalogue([declaration]).kinds[0].tables
        let path = "\(folder.store)/own/\(name)"
        let snapshot = try ModelSnapshot(at: path, version: ModelVersion.ofPrograms, tables: tables)
        defer { snapshot.close() }
        return try tables.map { try snapshot.digest(of: [$0]) }
    }

    /// Makes the events that are stored in blocks unreadable.
    private func damageLog() throws {
        let path = folder.store + "/log/data.mdb"
        var bytes = try Data(contentsOf: URL(filePath: path))
        let type = Data("\"Placed2\"".utf8)
        var (from, count) = (bytes.startIndex, 0)
        while let found = bytes.range(of: type, in: from..<bytes.endIndex) {
            bytes[found.lowerBound + 1] = UInt8(ascii: "X")
            (from, count) = (found.upperBound, count + 1)
        }
        expect(count > 50)
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.write(contentsOf: bytes)
        try file.close()
    }

    @Test func `indexes are made of the rows, and the log is not read`() throws {
        let bench = try begun()
        expect(bench.settled("CHECKPOINT").last?.hasPrefix("+") == true)
        try damageLog()
        let rows = bench.loop.ask("LIST orders limit=1000", from: "a").dropLast()
        define(bench, TakenRowsTests.second)
        expect(model(bench).contains(#""definition":1,"state":"ready""#))
        bench.settle()
        expect(model(bench).contains(#""definition":2,"state":"ready","rows":\#(rows.count),"#))
        expect(bench.loop.ask("LIST orders limit=1000", from: "a").dropLast() == rows)
        expect(ask(bench, "LIST orders tags=t3 sort=n limit=5").hasPrefix("+"))
        // A definition of other rows has to read the log.
        define(bench, TakenRowsTests.second + "\non More { n += 1 }")
        bench.settle()
        expect(model(bench).contains(#""definition":2,"state":"ready""#))
        expect(model(bench).contains(#""reason":"#), "\(model(bench))")
        bench.stop()
    }

    @Test func `the tables are those of a fold, with the events that come meanwhile`() throws {
        let bench = try begun()
        define(bench, TakenRowsTests.second)
        bench.loop.run()
        var appended = 400
        while bench.held.count > 0 {
            // Each piece of work beside the loop has events before it.
            for number in appended..<appended + 7 { append(bench, number, held: true) }
            appended += 7
            expect(ask(bench, "GET orders/c1").text("code") != "busy")
            bench.held.run(0)
            bench.loop.run()
        }
        bench.settle()
        expect(appended > 410)
        define(bench, TakenRowsTests.second, as: "late")
        bench.settle()
        for question in [
            "limit=1000", "sort=n limit=1000", "sort=last order=asc limit=1000", "tags=t3 sort=n limit=1000",
            "customer=c7", "tags=t1 since=3 sort=n",
        ] {
            let (taken, folded) = (
                bench.loop.ask("LIST orders \(question)", from: "a"), bench.loop.ask("LIST late \(question)", from: "a")
            )
            expect(taken.count > 1 && taken.dropLast() == folded.dropLast(), "\(question)")
        }
        for question in ["", " tags=t3", " customer=c7"] {
            expect(ask(bench, "COUNT orders\(question)") == ask(bench, "COUNT late\(question)"))
        }
        expect(bench.loop.ask("SORTS orders", from: "a") == bench.loop.ask("SORTS late", from: "a"))
        let misfits = bench.loop.ask("READ misfits/orders limit=1000", from: "a")
        expect(misfits.count > 20 && misfits == bench.loop.ask("READ misfits/late limit=1000", from: "a"))
        expect(
            misfits[0].contains(#""line":13,"#) && misfits[0].contains("n += data.n; tags += data.tag ?? none"),
            "\(misfits[0])")
        expect(ask(bench, "GET orders/c1 at=20") == ask(bench, "GET late/c1 at=20"))
        expect(bench.settled("CHECKPOINT").last?.hasPrefix("+") == true)
        bench.stop()
        let (taken, folded) = (
            try digests("orders.2", TakenRowsTests.second), try digests("late.1", TakenRowsTests.second)
        )
        expect(taken == folded && taken.allSatisfy { $0.count > 0 })
    }

    private func append(_ bench: StoredLoop, _ number: Int, held: Bool) {
        bench.loop.send(
            #"APPEND order-\#(number % 60) {"type":"Placed2","data":{"n":\#(number % 13),"tag":"t\#(number % 7)"}}"#,
            from: "a")
        expect(bench.loop.hear("a").last?.hasPrefix("+") == true)
    }

    @Test func `progress counts the rows that are taken over`() throws {
        let bench = try begun()
        define(bench, TakenRowsTests.second)
        bench.loop.run()
        expect(
            model(bench).contains(#""building":{"definition":2,"position":0,"of":403,"rows":0}"#), "\(model(bench))")
        bench.settle()
        expect(!model(bench).contains("building"))
        bench.stop()
    }

    @Test func `a transfer that is replaced, undefined or cut off leaves nothing behind`() throws {
        let bench = try begun()
        define(bench, TakenRowsTests.second)
        bench.loop.run()
        define(bench, TakenRowsTests.first + "; sort n")
        bench.settle()
        expect(model(bench).contains(#""definition":3,"state":"ready""#))
        expect(try Files.names(in: folder.store + "/own") == ["orders.3"])
        define(bench, TakenRowsTests.second)
        bench.loop.run()
        expect(ask(bench, "UNDEFINE orders").hasPrefix("+"))
        bench.settle()
        bench.loop.run()
        expect(try Files.names(in: folder.store + "/own").isEmpty)
        define(bench, TakenRowsTests.first)
        bench.settle()
        define(bench, TakenRowsTests.second)
        bench.loop.run()
        bench.end()
        let again = try StoredLoop(folder.store)
        again.settle()
        expect(model(again).contains(#""definition":6,"state":"ready""#), "\(model(again))")
        expect(try Files.names(in: folder.store + "/own") == ["orders.6"])
        again.stop()
    }

    @Test func `rows that cannot be taken over are folded`() throws {
        let bench = try begun()
        expect(bench.settled("CHECKPOINT").last?.hasPrefix("+") == true)
        let count = ask(bench, "COUNT orders").number("count")
        // The next round of the scrub begins seconds later.
        let scrubs = bench.scrubs.count
        expect(bench.pass { bench.scrubs.count > scrubs })
        // The transfer is the first to meet pages of rows.
        let path = folder.store + "/own/orders.1/data.mdb"
        let bytes = RawFile.read(path)
        for page in stride(from: 2 * 4_096, to: bytes.count, by: 4_096) {
            let keys = (page..<page + 4_093).count {
                bytes[$0] == UInt8(ascii: "c") && bytes[$0 + 1] == UInt8(ascii: "1")
            }
            if keys > 3 { RawFile.patch(path, at: page + 2_000, bytes[page + 2_000] ^ 0xA5) }
        }
        define(bench, TakenRowsTests.second)
        bench.settle()
        expect(bench.loop.said("rows-not-taken") == 1, "\(bench.loop.trace)")
        expect(bench.pass { model(bench).contains(#""definition":2,"state":"ready""#) }, "\(model(bench))")
        expect(ask(bench, "COUNT orders").number("count") == count)
        expect(try Files.names(in: folder.store + "/own") == ["orders.2"])
        bench.stop()
    }

    @Test func `rows of a model that is found damaged before they are taken are folded`() throws {
        let bench = try begun()
        let count = ask(bench, "COUNT orders").number("count")
        // The transfer waits for the work beside the loop.
        define(bench, TakenRowsTests.second)
        bench.loop.run()
        let answering = try require(bench.loop.server.declared.served["orders"])
        answering.failed(.corrupt("a page is damaged", at: nil))
        bench.settle()
        expect(bench.loop.said("rows-not-taken") == 1, "\(bench.loop.trace)")
        expect(bench.pass { model(bench).contains(#""definition":2,"state":"ready""#) }, "\(model(bench))")
        expect(ask(bench, "COUNT orders").number("count") == count)
        bench.stop()
    }

    @Test func `statements of one line that part are folded anew, so that misfits have the right line`() throws {
        let bench = try begun()
        let text = TakenRowsTests.first.replacing("n += data.n; tags", with: "n += data.n\ntags") + "; sort n"
        define(bench, text)
        bench.loop.run()
        expect(!model(bench).contains(#""rows":0}"#))
        bench.settle()
        expect(model(bench).contains(#""definition":2,"state":"ready""#))
        bench.stop()
    }
}
