import LoopSupport
import StoryCore
import TestSupport
import Testing

@testable import StoryServer

/// Events whose fold into declared models is long: it is done before they are appended, in steps between which the loop
/// serves others.
@Suite struct LongFoldTests {
    /// Each event adds to as many rows as it names.
    private static let text =
        "from order; n: number = 0; last: number; sort n; index last; "
        + "on Placed { for x in data.rows { row x { n += 1; last = data.v } } }"

    private let bench: LoopBench

    /// The model answers, and the log has two events.
    init() { bench = LongFoldTests.bench(LongFoldTests.slow) }

    /// Limits by which every fold is long, and a step does one thing.
    private static var slow: Limits {
        var limits = Limits()
        (limits.shortFold, limits.foldStep) = (.zero, Work(nanoseconds: 1))
        return limits
    }

    private static func bench(_ limits: Limits) -> LoopBench {
        let bench = LoopBench(limits)
        bench.connected("ann", "eve")
        _ = bench.ask("DEFINE sums \"\(text)\"", from: "ann")
        bench.run()
        return bench
    }

    private static func event(_ rows: [String], _ value: Int) -> String {
        let list = rows.map { "\"\($0)\"" }.joined(separator: ",")
        return #"{"type":"Placed","data":{"rows":[\#(list)],"v":\#(value)}}"#
    }

    private static func append(_ events: [String]) -> String { "APPEND order-1 [\(events.joined(separator: ","))]" }

    /// Begins an append of two events, of three rows each, and does some of its steps.
    private func begin(turns: Int = 5, from name: String = "ann") {
        let events = [LongFoldTests.event(["a", "b", "c"], 1), LongFoldTests.event(["a", "b", "d"], 2)]
        bench.receive(LongFoldTests.append(events) + "\n", from: name)
        for _ in 0..<turns { bench.endTurn() }
        expect(bench.hear(name) == [], "the fold is under way")
    }

    /// Asks within one turn.
    private func askNow(_ line: String, from name: String = "eve") -> [String] {
        bench.receive(line + "\n", from: name)
        bench.endTurn()
        return bench.hear(name)
    }

    private func ids(_ lines: [String]) -> [String?] { lines.dropLast().map { $0.text("id") } }

    @Test func `others are answered while events are folded, and see the rows before`() {
        _ = bench.ask(LongFoldTests.append([LongFoldTests.event(["a"], 7)]), from: "ann")
        begin()
        expect(askNow("PING").first?.hasPrefix("+") == true)
        expect(askNow("GET sums/a").first?.contains(#""position":3,"n":1,"last":7"#) == true)
        expect(askNow("GET sums/d").first?.text("code") == "notFound")
        expect(askNow("COUNT sums").first?.number("count") == 1)
        expect(ids(askNow("LIST sums sort=n order=asc")) == ["a"])
        bench.run()
        expect(bench.hear("ann").first?.number("position") == 5)
        expect(bench.ask("GET sums/a", from: "eve").first?.contains(#""position":5,"n":3,"last":2"#) == true)
        expect(ids(bench.ask("LIST sums sort=n order=asc", from: "eve")) == ["c", "d", "b", "a"])
        expect(ids(bench.ask("LIST sums last=2", from: "eve")).count == 3)
        expect(bench.ask("COUNT sums", from: "eve").first?.number("count") == 4)
    }

    @Test func `the search for names that rules of other types look for makes a fold long`() {
        var limits = Limits()
        limits.foldStep = Work(nanoseconds: 1)
        let bench = LongFoldTests.bench(limits)
        let names = (0..<30).map { line in
            "  n = " + (0..<10).map { "data.name\(10 * line + $0)" }.joined(separator: " + ")
        }.joined(separator: #"\n"#)
        let text = #"from wide\nn: number?\nkey 'one'\non A { n = 1 }\non B {\n\#(names)\n}"#
        let defined = bench.ask("DEFINE wide \"\(text)\"", from: "ann")
        expect(defined.last?.hasPrefix("+") == true, "\(defined)")
        bench.run()
        let members = (0..<9_000).map { #""m\#($0)":0"# }.joined(separator: ",")
        let event = #"{"type":"A","data":{\#(members)}}"#
        bench.receive("APPEND wide-1 [\(event),\(event)]\n", from: "ann")
        bench.endTurn()
        expect(bench.hear("ann") == [], "the fold is under way")
        bench.receive("PING\n", from: "eve")
        bench.endTurn()
        expect(bench.hear("eve").first?.hasPrefix("+") == true)
        bench.run()
        expect(bench.hear("ann").first?.hasPrefix("+") == true)
        expect(bench.ask("GET wide/one", from: "eve").first?.contains(#""n":1"#) == true)
    }

    @Test func `other writes wait for it, and those behind it on its connection find its rows`() {
        begin()
        bench.receive("GET sums/d\n", from: "ann")
        bench.receive(#"APPEND note-1 {"type":"T","data":{}}"# + "\n", from: "eve")
        for _ in 0..<3 { bench.endTurn() }
        expect(bench.hear("eve") == [])
        bench.run()
        let heard = bench.hear("ann")
        expect(heard.first?.number("position") == 4)
        expect(heard.last?.contains(#""position":4,"n":1,"last":2"#) == true)
        expect(bench.hear("eve").first?.number("position") == 5)
    }

    @Test func `a write that changes too much is refused before anything of it is in the log`() {
        for limit in [\Limits.changes, \Limits.changedBytes] {
            for isSlow in [true, false] {
                var limits = isSlow ? LongFoldTests.slow : Limits()
                limits.shortFold = .zero
                limits[keyPath: limit] = limit == \Limits.changes ? 5 : 1_000
                let bench = LongFoldTests.bench(limits)
                let few = LongFoldTests.append([LongFoldTests.event(["a"], 1)])
                let rows = (0..<12).map { "r\($0)" }
                let many = LongFoldTests.append((0..<2).map { LongFoldTests.event(rows, $0) })
                expect(bench.ask(few, from: "ann").first?.number("position") == 3)
                let refusal = bench.ask(many, from: "ann").first
                expect(refusal?.text("code") == "tooLarge")
                expect(refusal?.number("limit") == UInt64(limits[keyPath: limit]))
                expect(bench.log.head == Position(3))
                expect(bench.ask("GET sums/r1", from: "eve").first?.text("code") == "notFound")
                expect(bench.ask(few, from: "eve").first?.number("position") == 4)
                expect(bench.ask("GET sums/a", from: "eve").first?.contains(#""n":2"#) == true)
            }
        }
    }

    @Test func `a write that takes too long is refused before anything of it is in the log`() {
        var limits = Limits()
        (limits.shortFold, limits.foldMilliseconds) = (.zero, 1)
        let bench = LongFoldTests.bench(limits)
        let rows = (0..<50).map { "r\($0)" }
        let many = LongFoldTests.append((0..<50).map { LongFoldTests.event(rows, $0) })
        let refusal = bench.ask(many, from: "ann").first
        expect(refusal?.text("code") == "tooLarge" && refusal?.number("limit") == 1, "\(refusal ?? "")")
        let few = LongFoldTests.append([LongFoldTests.event(["a"], 1)])
        expect(bench.ask(few, from: "ann").first?.number("position") == 3)
        expect(bench.ask("COUNT sums", from: "eve").first?.number("count") == 1)
    }

    /// Long folds that are refused are queued as well.
    @Test func `short writes that waited for a long fold come before the next one`() throws {
        var limits = Limits()
        (limits.foldStep, limits.changes) = (Work(microseconds: 10), 10_000)
        let bench = LongFoldTests.bench(limits)
        let names = (0..<9).map { "c\($0)" }
        for name in names { bench.connected(name) }
        let rows = (0..<50).map { "r\($0)" }
        for name in names {
            let count = name == "c1" ? 300 : 100
            let events = (0..<count).map { LongFoldTests.event(rows, $0) }
            bench.receive(LongFoldTests.append(events) + "\n", from: name)
        }
        bench.endTurn()
        bench.receive(#"APPEND note-1 {"type":"T","data":{}}"# + "\n", from: "eve")
        bench.receive(#"APPEND order-1 {"type":"Placed","data":{"rows":["a"],"v":1}}"# + "\n", from: "ann")
        bench.run()
        expect(bench.hear("eve").first?.number("position") == 103)
        expect(bench.hear("ann").first?.number("position") == 104)
        let answers = try names.map { try require(bench.hear($0).first) }
        expect(answers.map { $0.text("code") } == names.map { $0 == "c1" ? "tooLarge" : nil })
        expect(answers.compactMap { $0.number("position") }.count == 8 && bench.log.head == Position(804))
    }

    @Test func `a refusal comes as without models, and nothing waits for it`() {
        let conflict = "APPEND order-1 version=9 \(LongFoldTests.event(["a"], 1))"
        expect(bench.ask(conflict, from: "ann").first?.text("code") == "conflict")
        let keyed = "APPEND order-1 key=k \(LongFoldTests.event(["a"], 1))"
        expect(bench.ask(keyed, from: "ann").first?.number("position") == 3)
        expect(bench.ask(keyed, from: "ann").first?.contains(#""repeated":true"#) == true)
        expect(bench.ask("GET sums/a", from: "eve").first?.contains(#""n":1"#) == true)
    }

    @Test func `a client that leaves takes its write along`() {
        begin()
        bench.receive(#"APPEND note-1 {"type":"T","data":{}}"# + "\n", from: "eve")
        bench.endTurn()
        bench.close("ann")
        bench.run()
        expect(bench.hear("eve").first?.number("position") == 3)
        expect(bench.ask("COUNT sums", from: "eve").first?.number("count") == 0)
    }

    @Test func `rows that are undone are those from before`() {
        _ = bench.ask(LongFoldTests.append([LongFoldTests.event(["a"], 7)]), from: "ann")
        bench.log.commitFailure = .full("no room")
        begin(turns: 3)
        bench.run()
        expect(bench.hear("ann").first?.text("code") == "full")
        expect(bench.ask("GET sums/a", from: "eve").first?.contains(#""n":1,"last":7"#) == true)
        expect(bench.ask("COUNT sums", from: "eve").first?.number("count") == 1)
        bench.tick(11)
        begin()
        bench.run()
        expect(bench.ask("GET sums/a", from: "eve").first?.contains(#""n":3,"last":2"#) == true)
    }

    @Test func `followers are told each row once, and nothing before it is durable`() {
        bench.send("SUBSCRIBE sums", "SUBSCRIBE sums/a", from: "eve")
        _ = bench.hear("eve")
        begin()
        expect(bench.hear("eve") == [])
        bench.run()
        let heard = bench.hear("eve").filter { !$0.contains("caughtUp") }
        let list = heard.filter { $0.hasPrefix(">1") }
        expect(list.count == 4 && list.last?.contains(#""position":4"#) == true)
        expect(list.first?.contains(#""id":"c""#) == true, "the row that was changed first comes first")
        expect(heard.filter { $0.hasPrefix(">2") }.map { $0.contains(#""n":2,"last":2"#) } == [true])
    }

    @Test func `followers of rows of which too many changed list them again`() {
        var limits = Limits()
        limits.shortFold = .zero
        let bench = LongFoldTests.bench(limits)
        bench.send("SUBSCRIBE sums", from: "eve")
        _ = bench.hear("eve")
        let events = (0..<30).map { number in LongFoldTests.event((0..<100).map { "r\(number)-\($0)" }, number) }
        expect(bench.ask(LongFoldTests.append(events), from: "ann").first?.number("position") == 32)
        let heard = bench.hear("eve").filter { !$0.contains("caughtUp") }
        expect(heard.first == #">1 {"again":32}"#)
        expect(heard.count == 3_001)
        _ = bench.ask(LongFoldTests.append([LongFoldTests.event(["r0-0"], 99)]), from: "ann")
        expect(bench.hear("eve").filter { !$0.contains("caughtUp") }.count == 1)
    }

    @Test func `rows are the same whether a fold is long or short`() {
        var random = SplitMix64(seed: 11)
        let short = LongFoldTests.bench(Limits())
        for _ in 0..<60 {
            let events = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                let rows = (0..<Int.random(in: 0...4, using: &random)).map { _ in
                    "r\(Int.random(in: 0...9, using: &random))"
                }
                return LongFoldTests.event(rows, Int.random(in: 0...3, using: &random))
            }
            let line = LongFoldTests.append(events)
            let receipts = [bench, short].map { $0.ask(line, from: "ann").first?.number("position") }
            expect(receipts[0] != nil && receipts[0] == receipts[1])
        }
        for question in ["LIST sums sort=n", "LIST sums last=1", "LIST sums", "COUNT sums last=2", "COUNT sums"] {
            expect(bench.ask(question, from: "eve") == short.ask(question, from: "eve"))
        }
    }

    @Test func `entries from elsewhere are folded in steps, and reads see the rows before`() throws {
        let replica = ReplicaBench(LongFoldTests.slow)
        _ = replica.write("DEFINE sums \"\(LongFoldTests.text)\"")
        replica.tick(5)
        _ = replica.write(LongFoldTests.append((0..<5).map { LongFoldTests.event(["a", "b"], $0) }))
        replica.tick(5)
        expect(replica.ask("GET sums/a").first?.contains(#""n":5,"last":4"#) == true)
        expect(replica.ask("LIST sums last=4").count == 3)
        expect(replica.replica.server.longestFolds.step <= Work(microseconds: 500))
    }

    @Test func `the greeting names the limits of what a write changes`() {
        bench.connect("new")
        bench.run()
        let greeting = bench.hear("new").first
        expect(greeting?.contains(#""changes":100000,"changedBytes":16777216,"foldMilliseconds":10000"#) == true)
    }

    @Test func `a fold that needs much memory keeps the rows that it read`() {
        let bench = LoopBench()
        bench.connected("ann")
        let changes = String(repeating: "m['k' + x] += 1; ", count: 10)
        let text =
            "from h; m: map(number, 999); s: number = 0; sort s; key 'one'; "
            + "on A { for x in data.l { \(changes) } s += 1 }"
        _ = bench.ask("DEFINE big \"\(text)\"", from: "ann")
        bench.run()
        for number in 0..<12 {
            let keys = (0..<100).map { "\"\((number * 100 + $0) % 999)\"" }.joined(separator: ",")
            _ = bench.ask(#"APPEND h-1 {"type":"A","data":{"l":[\#(keys)]}}"#, from: "ann")
        }
        expect(ids(bench.ask("LIST big sort=s", from: "ann")) == ["one"], "the index has the row once")
        expect(bench.ask("GET big/one", from: "ann").first?.contains(#""s":12"#) == true)
    }
}
