import LoopSupport
import StoryCore
import StoryServer
import TestSupport
import Testing

/// Rows with keys of several parts, which events of several streams change, while the loop serves.
@Suite struct DeclaredRowTests {
    private let bench = LoopBench()
    private static let books = """
        from shelf
        title: text?
        loans: number = 0
        sort loans
        on BooksShelved { for book in data.books { row data.room, book { title = data.title } } }
        on BookLent { row data.room, data.book { loans += 1 } }
        on BookTaken { row data.room, data.book { remove } }
        """

    /// The model is defined and answers: the log has two events.
    init() {
        bench.connected("ann")
        _ = ask("DEFINE books \"\(DeclaredRowTests.books.replacing("\n", with: "\\n"))\"")
        bench.run()
    }

    private func ask(_ line: String) -> [String] { bench.ask(line, from: "ann") }

    private func shelve(_ room: String, _ books: [String], title: String = "T") -> [String] {
        let list = books.map { "\"\($0)\"" }.joined(separator: ",")
        let data = #"{"room":"\#(room)","books":[\#(list)],"title":"\#(title)"}"#
        return ask(#"APPEND shelf-1 {"type":"BooksShelved","data":\#(data)}"#)
    }

    /// Returns the line of an event about one book.
    private func event(_ type: String, _ room: String, _ book: String, in stream: String = "shelf-2") -> String {
        #"APPEND \#(stream) {"type":"\#(type)","data":{"room":"\#(room)","book":"\#(book)"}}"#
    }

    private func ids(_ lines: [String]) -> [String?] { lines.dropLast().map { $0.text("id") } }

    @Test func `an event changes several rows, which are found by keys of encoded parts`() {
        expect(shelve("A/B", ["x y", "100%", "z"]).first?.number("position") == 3)
        let fields = #""changes":1,"position":3,"title":"T","loans":0}"#
        expect(ask("GET books/A%2FB/x%20y") == [#"+ {"id":"A%2FB/x%20y",\#(fields)"#])
        expect(ask("GET books/%41%2fB/100%25") == [#"+ {"id":"A%2FB/100%25",\#(fields)"#])
        expect(ask("GET store://books/A%2FB/z") == [#"+ {"id":"A%2FB/z",\#(fields)"#])
        expect(ids(ask("LIST books order=asc")) == ["A%2FB/x%20y", "A%2FB/100%25", "A%2FB/z"])
        expect(ids(ask("LIST books order=desc limit=2")) == ["A%2FB/z", "A%2FB/100%25"])
        _ = ask(event("BookLent", "A/B", "x y"))
        expect(ids(ask("LIST books sort=loans limit=1")) == ["A%2FB/x%20y"])
        expect(ask("COUNT books") == [#"+ {"count":3,"position":4}"#])
        expect(ask("COUNT books loans=1") == [#"+ {"count":1,"position":4}"#])
        expect(ask("GET books/A%2FB/x%20y").first?.contains(#""changes":2,"position":4"#) == true)
    }

    @Test func `a removed row is not found, and new when it is made again`() {
        _ = shelve("r", ["a", "b"])
        _ = ask(event("BookTaken", "r", "a"))
        expect(ask("GET books/r/a").first?.text("code") == "notFound")
        expect(ask("COUNT books").first?.number("count") == 1)
        _ = shelve("r", ["a"])
        expect(ask("GET books/r/a").first?.number("changes") == 1)
        expect(ids(ask("LIST books order=asc")) == ["r/b", "r/a"], "the number of a removed row is not given again")
    }

    @Test func `an event that does not fit changes no row, and one that names a row twice counts once`() {
        let long = String(repeating: "x", count: 257)
        for books in [["a", ""], ["a", long]] { expect(shelve("r", books).first?.number("position") != nil) }
        _ = ask(#"APPEND shelf-1 {"type":"BooksShelved","data":{"room":"r","books":"a","title":"T"}}"#)
        expect(ask("COUNT books").first?.number("count") == 0)
        _ = shelve("r", ["a", "a"])
        _ = shelve("r", ["a"])
        expect(ask("COUNT books").first?.number("count") == 1)
        expect(
            ask("GET books/r/a").first?.number("changes") == 1, "an event that leaves the row as it was is no change")
    }

    @Test func `a wrong key is a refusal that names the field`() {
        let long = String(repeating: "x", count: 257)
        let wrong = [
            "a/b/c/d/e": "malformed", "a/": "empty", "/b": "empty", "a/%4": "malformed", "a/%zz": "malformed",
            "a/ü": "malformed", "a/\(long)": "tooLong", "a/\(long + long + long + long + long)": "tooLong",
            "\(long.dropLast())/\(long.dropLast())": "tooLong",
        ]
        for (key, rule) in wrong {
            let answer = ask("GET books/\(key)").first
            expect(
                answer?.text("code") == "invalid" && answer?.contains(#""field":"id","rule":"\#(rule)""#) == true,
                "\(key)")
        }
        for key in ["a", "a/b"] { expect(ask("GET books/\(key)").first?.text("code") == "notFound") }
        expect(ask("GET books/a/b/c/d/e").first?.contains("parts with / between") == true)
    }

    @Test func `rows and lists of them are followed, whatever event of whatever stream changes them`() {
        _ = shelve("A/B", ["x y"])
        bench.connected("eve")
        let targets = ["books", "books/A%2FB/x%20y", "books title=T", "books/A%2FB/z"]
        for target in targets { bench.send("SUBSCRIBE \(target)", from: "eve") }
        let row = #"{"id":"A%2FB/x%20y","changes":1,"position":3,"title":"T","loans":0}"#
        let first = heard()
        expect(first.count { $0.contains(row) } == 3)
        expect(first.contains(#">4 {"position":3,"row":null}"#))
        _ = ask(event("BookLent", "A/B", "x y"))
        let lent = #"{"id":"A%2FB/x%20y","changes":2,"position":4,"title":"T","loans":1}"#
        expect(heard() == (1...3).map { #">\#($0) {"position":4,"row":\#(lent)}"# })
        // Two rows of one event: one that is followed, one that is there already.
        _ = shelve("A/B", ["z", "x y"], title: "U")
        let shelved = heard()
        expect(shelved.count == 5)
        expect(shelved.contains(#">3 {"position":5,"removed":"A%2FB/x%20y"}"#))
        expect(shelved.contains { $0.hasPrefix(#">4 {"position":5,"row":{"id":"A%2FB/z","changes":1"#) })
        _ = ask(event("BookTaken", "A/B", "z", in: "shelf-9"))
        expect(heard() == [#">1 {"position":6,"removed":"A%2FB/z"}"#, #">4 {"position":6,"row":null}"#])
        _ = ask(event("BookRead", "A/B", "z"))
        expect(heard() == [], "an event that changes no row is told to nobody")
    }

    @Test func `a row that is removed and made again within one turn is shown as it is then`() {
        _ = shelve("r", ["a", "b"])
        bench.connected("eve")
        bench.send("SUBSCRIBE books", "SUBSCRIBE books/r/a", from: "eve")
        _ = heard()
        bench.send(
            event("BookTaken", "r", "a"),
            #"APPEND shelf-1 {"type":"BooksShelved","data":{"room":"r","books":["a"],"title":"U"}}"#, from: "ann")
        let row = #"{"id":"r/a","changes":1,"position":5,"title":"U","loans":0}"#
        let lines = heard()
        for number in 1...2 {
            let own = lines.filter { $0.hasPrefix(">\(number) ") }
            expect(own.last == #">\#(number) {"position":5,"row":\#(row)}"#)
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
        expect(shelve("r", ["b", "c"]).first?.text("code") == "full")
        expect(ids(ask("LIST books order=asc")) == ["r/a"])
        bench.tick(11)
        _ = shelve("r", ["c", "b"])
        expect(ids(ask("LIST books order=asc")) == ["r/a", "r/c", "r/b"])
    }

    @Test func `such a model takes events of the users' own and no other writes`() {
        expect(ask(#"POST books {}"#).first?.text("code") == "unknown")
        expect(ask("DELETE books/r/a").first?.text("code") == "unknown")
        expect(ask("HELP POST").first?.contains("books") == false)
        expect(ask("SORTS books").count == 3)
    }
}
