import LoopSupport
import StoryCore
@testable import StoryServer
import Testing
import TestSupport

/// Long lines that are not whole: a few go on at a time, and nobody is kept from its turn.
struct LongLinesTests {
    private let long = String(repeating: "x", count: 150_000)

    /// Two of these lines go on at a time.
    private func bench(_ names: String...) -> LoopBench {
        var limits = Limits()
        (limits.line, limits.memory) = (200_000, 800_000)
        let bench = LoopBench(limits)
        for name in names { bench.connected(name) }
        return bench
    }

    /// An event whose first half is long.
    private var halves: (String, String) { (#"APPEND note-1 {"type":"A","data":""# + long, "\"}\n") }

    @Test func `the third one waits until one of two is whole, and all are carried out`() {
        let bench = bench("a", "b", "c", "d")
        for name in ["a", "b", "c", "d"] {
            bench.receive(halves.0, from: name)
            bench.run()
        }
        expect(["a", "b", "c", "d"].map { bench.isPaused($0) } == [false, false, true, true])
        bench.receive(halves.1, from: "b")
        bench.run()
        expect(bench.hear("b").first?.number("position") == 1)
        expect(["a", "c", "d"].map { bench.isPaused($0) } == [false, false, true], "who waited longest is next")
        for (name, position) in [("c", 2), ("d", 3), ("a", 4)] as [(String, UInt64)] {
            expect(!bench.isPaused(name))
            bench.receive(halves.1, from: name)
            bench.run()
            expect(bench.hear(name).first?.number("position") == position)
        }
        // And all may do it again.
        for name in ["a", "b"] {
            bench.receive(halves.0, from: name)
            bench.run()
            expect(!bench.isPaused(name))
        }
    }

    @Test func `short requests of others go on, however many long lines wait`() {
        let bench = bench("a", "b", "c", "e")
        for name in ["a", "b", "c"] { bench.receive(halves.0, from: name) }
        bench.run()
        expect(bench.ask("PING", from: "e") == [#"+ {"position":0}"#])
        bench.receive("PI", from: "e")
        expect(!bench.isPaused("e"))
        expect(bench.ask("NG", from: "e") == [#"+ {"position":0}"#])
    }

    @Test(arguments: [false, true]) func `who goes away leaves its place to the next`(_ isReading: Bool) {
        let bench = bench("a", "b", "c", "d")
        for name in ["a", "b", "c", "d"] {
            bench.receive(halves.0, from: name)
            bench.run()
        }
        bench.close(isReading ? "a" : "c")
        bench.run()
        expect(bench.isPaused("d"))
        bench.close("b")
        bench.run()
        expect(!bench.isPaused("d"))
    }

    @Test func `a line that keeps others waiting has a tenth of the time`() {
        let bench = bench("a", "b", "c")
        for name in ["a", "b"] {
            bench.receive(halves.0, from: name)
            bench.run()
        }
        bench.tick(80)
        expect(bench.hear("a").isEmpty, "nobody waits")
        bench.receive(halves.0, from: "c")
        bench.run()
        bench.tick(20)
        expect(bench.hear("a") == [#"* {"idle":3,"position":0}"#])
        expect(bench.hear("b") == [#"* {"idle":3,"position":0}"#])
        expect(!bench.isPaused("c") && bench.hear("c").isEmpty)
        bench.tick(80)
        expect(!bench.isFinished("c"), "nobody waits for it")
    }
}
