import LoopSupport
import StoryCore
@testable import StoryServer
import Testing
import TestSupport

/// Rows that are asked for are looked up together, and answered as if each had been alone.
struct RowRequestsTests {
    private func bench(_ names: String...) -> LoopBench {
        let bench = LoopBench()
        for name in names { bench.connected(name) }
        for id in 1...60 {
            _ = bench.ask(
                #"POST users {"id":"\#(id)","name":"N\#(id)","email":"\#(id)@x.org","prefecture":13}"#, from: names[0])
        }
        return bench
    }

    @Test func `replies come in the order of the requests, whatever stands between`() {
        let bench = bench("a")
        var lines = ""
        for id in 1...50 {
            lines += "@g\(id) GET users/\(id)\n"
            if id % 7 == 0 { lines += "@p\(id) PING\n" }
            if id % 11 == 0 { lines += "@b\(id) NONSENSE\n" }
            if id % 13 == 0 { lines += "@n\(id) GET users/none\n" }
        }
        bench.receive(lines, from: "a")
        bench.run()
        let heard = bench.hear("a")
        let wanted = lines.split(separator: "\n").map { $0.dropFirst().prefix { $0 != " " } }
        expect(heard.map { $0.drop { $0 != "@" }.dropFirst().prefix { $0 != " " } } == wanted)
        expect(heard.filter { $0.contains(#""code":"notFound""#) }.count == 3)
    }

    @Test func `a row is as it was when its turn came`() {
        let bench = bench("a", "b")
        bench.receive("GET users/1\nEDIT users/1 {\"name\":\"New\"}\nGET users/1\n", from: "a")
        bench.receive("GET users/1\n", from: "b")
        bench.run()
        let heard = bench.hear("a")
        expect(heard[0].contains(#""name":"N1""#) && heard[2].contains(#""name":"New""#))
        expect(bench.hear("b").first?.contains(#""name":"New""#) == true)
    }

    @Test func `one that rests on what is not durable waits for it`() {
        let bench = bench("a", "b")
        bench.makeDiskSlow()
        bench.receive("EDIT users/1 {\"name\":\"New\"}\n", from: "a")
        bench.receive("GET users/1\nGET users/2\n", from: "b")
        bench.endTurn()
        expect(bench.hear("b").isEmpty)
        bench.endCommit()
        bench.run()
        let heard = bench.hear("b")
        expect(heard.count == 2 && heard[0].contains(#""name":"New""#) && heard[1].contains(#""name":"N2""#))
    }

    @Test func `who leaves before he is answered keeps nobody waiting`() {
        let bench = bench("a", "b", "c")
        for name in ["a", "b", "c"] { bench.receive("GET users/1\n", from: name) }
        bench.close("b")
        bench.run()
        expect(bench.hear("a").count == 1 && bench.hear("c").count == 1)
    }

    @Test func `what many ask for in one turn is counted and timed`() {
        let bench = bench("a")
        bench.receive(String(repeating: "GET users/1\n", count: 40), from: "a")
        bench.run()
        expect(bench.hear("a").count == 40)
        let stats = bench.ask("STATS", from: "a").joined()
        expect(stats.contains(#""GET":{"count":40,"#))
    }
}
