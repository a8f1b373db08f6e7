import StoryCore
import StoryServer
import TestSupport
import Testing

/// Kinds that number their rows themselves, declared while the loop serves.
@Suite struct OwnRowTests {
    private let bench = LoopBench()

    init() throws {
        bench.connected("ann", "bob")
        try bench.server.catalogueReplaced(by: try Catalogue.standard.replaced(adding: [.books, .meters]))
    }

    private func ask(_ line: String) -> [String] { bench.ask(line, from: "ann") }

    private func shelve(_ room: String, _ books: [String], _ more: String = "") -> [String] {
        let list = books.map { "\"\($0)\"" }.joined(separator: ",")
        return ask(#"APPEND shelf-1 {"type":"BooksShelved","data":{"room":"\#(room)","books":[\#(list)]\#(more)}}"#)
    }

    private func ids(_ lines: [String]) -> [String?] { lines.dropLast().map { $0.text("id") } }

    @Test func `an event changes several rows, which are found by keys of encoded parts`() {
        let receipt = shelve("A/B", ["x y", "100%", "z"], #","title":"T","subjects":["art","a \"b\""]"#)
        #expect(receipt.first?.number("position") == 1)
        let fields = #""changes":1,"position":1,"title":"T","loans":0,"subjects":["art","a \"b\""]}"#
        #expect(ask("GET books/A%2FB/x%20y") == [#"+ {"id":"A%2FB/x%20y",\#(fields)"#])
        #expect(ask("GET books/%41%2fB/100%25") == [#"+ {"id":"A%2FB/100%25",\#(fields)"#])
        #expect(ask("GET store://books/A%2FB/z") == [#"+ {"id":"A%2FB/z",\#(fields)"#])
        #expect(ids(ask("LIST books order=asc")) == ["A%2FB/x%20y", "A%2FB/100%25", "A%2FB/z"])
        #expect(ids(ask("LIST books order=desc limit=2")) == ["A%2FB/z", "A%2FB/100%25"])
        _ = ask(#"APPEND shelf-2 {"type":"BookLent","data":{"room":"A/B","book":"x y"}}"#)
        #expect(ids(ask("LIST books")) == ["A%2FB/x%20y", "A%2FB/z", "A%2FB/100%25"])
        #expect(ask("COUNT books") == [#"+ {"count":3,"position":2}"#])
        #expect(ask("COUNT books loans=1") == [#"+ {"count":1,"position":2}"#])
        #expect(ask("GET books/A%2FB/x%20y").first?.contains(#""changes":2,"position":2"#) == true)
    }

    @Test func `a list is filtered by one of its texts`() {
        _ = shelve("r", ["a"], #","subjects":["art","law"]"#)
        _ = shelve("r", ["b"], #","subjects":["law"]"#)
        _ = shelve("r", ["c"])
        #expect(ids(ask("LIST books subject=law order=asc")) == ["r/a", "r/b"])
        #expect(ids(ask("LIST books subject=la")) == [])
        #expect(ask("COUNT books subject=art").first?.number("count") == 1)
        #expect(ask(#"COUNT books subject="""#).first?.number("count") == 0)
        #expect(ask("GET books/r/c").first?.contains(#""subjects":[]}"#) == true)
    }

    @Test func `a removed row is not found, and new when it is made again`() {
        _ = shelve("r", ["a", "b"])
        _ = ask(#"APPEND shelf-1 {"type":"BooksTaken","data":{"room":"r","books":["a","none"]}}"#)
        #expect(ask("GET books/r/a").first?.text("code") == "notFound")
        #expect(ask("COUNT books").first?.number("count") == 1)
        _ = shelve("r", ["a"])
        #expect(ask("GET books/r/a").first?.number("changes") == 1)
        #expect(ids(ask("LIST books order=asc")) == ["r/b", "r/a"], "the number of a removed row is not given again")
    }

    @Test func `an event that does not fit changes no row, and one that names a row twice counts once`() {
        let long = String(repeating: "x", count: 257)
        for books in [["a", ""], ["a", long]] { #expect(shelve("r", books).first?.number("position") != nil) }
        _ = shelve("r", ["a"], #","subjects":["art",1]"#)
        _ = ask(#"APPEND shelf-1 {"type":"BooksShelved","data":{"room":"r","books":"a"}}"#)
        #expect(ask("COUNT books").first?.number("count") == 0)
        _ = shelve("r", ["a", "a"])
        _ = shelve("r", ["a"])
        #expect(ask("COUNT books").first?.number("count") == 1)
        #expect(
            ask("GET books/r/a").first?.number("changes") == 1, "an event that leaves the row as it was is no change")
    }

    @Test func `a wrong key is a refusal that names the field`() {
        let long = String(repeating: "x", count: 257)
        let wrong = [
            "a": "malformed", "a/b/c": "malformed", "a/": "empty", "/b": "empty", "a/%4": "malformed",
            "a/%zz": "malformed", "a/ü": "malformed", "a/\(long)": "tooLong",
            "a/\(long + long + long + long + long)": "tooLong",
            "\(long.dropLast())/\(long.dropLast())": "tooLong",
        ]
        for (key, rule) in wrong {
            let answer = ask("GET books/\(key)").first
            #expect(
                answer?.text("code") == "invalid" && answer?.contains(#""field":"id","rule":"\#(rule)""#) == true,
                "\(key)")
        }
        #expect(ask("GET books/a/b").first?.text("code") == "notFound")
        #expect(ask("GET books/a").first?.contains("2 parts with / between") == true)
    }

    @Test func `rows of one stream have a past, the others none`() {
        for reading in 1...3 { _ = ask(#"APPEND meter-m.1 {"type":"MeterRead","data":{"reading":\#(reading)}}"#) }
        _ = ask(#"APPEND meter-m.1 {"type":"MeterRemoved","data":{}}"#)
        #expect(ask("GET meters/m.1 at=2") == [#"+ {"id":"m.1","changes":2,"position":2,"reading":2}"#])
        #expect(ask("GET meters/m.1 at=4").first?.text("code") == "notFound")
        #expect(ask("GET meters/none at=1").first?.text("code") == "notFound")
        #expect(ask("GET meters/%2F at=1").first?.text("code") == "notFound")
        #expect(ask("GET books/a/b at=1").first?.contains(#""field":"at","rule":"notSelected""#) == true)
    }

    @Test func `rows and lists of them are followed, whatever event of whatever stream changes them`() {
        _ = shelve("A/B", ["x y"], #","subjects":["art"]"#)
        bench.connected("eve")
        let targets = ["books", "books/A%2FB/x%20y", "books subject=art", "books/A%2FB/z"]
        for target in targets { bench.send("SUBSCRIBE \(target)", from: "eve") }
        let row = #"{"id":"A%2FB/x%20y","changes":1,"position":1,"loans":0,"subjects":["art"]}"#
        let first = heard()
        #expect(first.count { $0.contains(row) } == 3)
        #expect(first.contains(#">4 {"position":1,"row":null}"#))
        _ = ask(#"APPEND shelf-2 {"type":"BookLent","data":{"room":"A/B","book":"x y"}}"#)
        let lent = #"{"id":"A%2FB/x%20y","changes":2,"position":2,"loans":1,"subjects":["art"]}"#
        #expect(heard() == (1...3).map { #">\#($0) {"position":2,"row":\#(lent)}"# })
        // Two rows of one event: one that is followed, one that is there already.
        _ = shelve("A/B", ["z", "x y"], #","subjects":["law"]"#)
        let shelved = heard()
        #expect(shelved.count == 5)
        #expect(shelved.contains(#">3 {"position":3,"removed":"A%2FB/x%20y"}"#))
        #expect(shelved.contains { $0.hasPrefix(#">4 {"position":3,"row":{"id":"A%2FB/z","changes":1"#) })
        _ = ask(#"APPEND shelf-9 {"type":"BooksTaken","data":{"room":"A/B","books":["z"]}}"#)
        #expect(heard() == [#">1 {"position":4,"removed":"A%2FB/z"}"#, #">4 {"position":4,"row":null}"#])
        _ = ask(#"APPEND shelf-9 {"type":"BookLent","data":{"room":"A/B","book":"z"}}"#)
        #expect(heard() == [], "an event that changes no row is told to nobody")
    }

    @Test func `a row that is removed and made again within one turn is shown as it is then`() {
        _ = shelve("r", ["a", "b"])
        bench.connected("eve")
        bench.send("SUBSCRIBE books", "SUBSCRIBE books/r/a", from: "eve")
        _ = heard()
        bench.send(
            #"APPEND shelf-1 {"type":"BooksTaken","data":{"room":"r","books":["a"]}}"#,
            #"APPEND shelf-1 {"type":"BooksShelved","data":{"room":"r","books":["a"]}}"#, from: "ann")
        let row = #"{"id":"r/a","changes":1,"position":3,"loans":0,"subjects":[]}"#
        let lines = heard()
        for number in 1...2 {
            let own = lines.filter { $0.hasPrefix(">\(number) ") }
            #expect(own.last == #">\#(number) {"position":3,"row":\#(row)}"#)
        }
    }

    /// Returns the pushes to eve that are rows, in the order of the subscriptions.
    private func heard() -> [String] {
        bench.run()
        return bench.hear("eve").filter { $0.hasPrefix(">") && !$0.contains("caughtUp") }.sorted()
    }

    @Test func `a turn that is undone takes back its rows and their numbers`() {
        _ = shelve("r", ["a"])
        bench.log.commitFailure = .full("no room")
        #expect(shelve("r", ["b", "c"]).first?.text("code") == "full")
        #expect(ids(ask("LIST books order=asc")) == ["r/a"])
        bench.tick(10)
        _ = shelve("r", ["c", "b"])
        #expect(ids(ask("LIST books order=asc")) == ["r/a", "r/c", "r/b"])
    }

    @Test func `such a kind takes events of the users' own and no other writes`() {
        #expect(ask(#"POST books {}"#).first?.text("code") == "unknown")
        #expect(ask("DELETE books/a/b").first?.text("code") == "unknown")
        #expect(ask("HELP POST").first?.contains("books") == false)
        #expect(ask("SORTS books").count == 3)
    }
}
