import LoopSupport
import StoryCore
import TestSupport
import Testing

@testable import StoryServer

/// `MODELS` while commits are on their way: the figures are as of the last durable event, and wait for none.
@Suite struct ModelsOnSlowDiskTests {
    private let bench = LoopBench()

    /// A model has a row and an event that does not fit, and commits do not end.
    init() {
        bench.connected("ann", "eve")
        _ = bench.ask(#"DEFINE orders "from order; n: number; on Placed { n += data.n }""#, from: "ann")
        bench.run()
        _ = bench.ask(ModelsOnSlowDiskTests.append(1, "1"), from: "ann")
        _ = bench.ask(ModelsOnSlowDiskTests.append(1, #""x""#), from: "ann")
        bench.makeDiskSlow()
    }

    private static func append(_ order: Int, _ n: String) -> String {
        #"APPEND order-\#(order) {"type":"Placed","data":{"n":\#(n)}}"#
    }

    private func endCommits() { while bench.commits.isRunning { bench.endCommit() } }

    /// Whether a line has figures.
    private func has(_ line: String?, rows: UInt64, misfits: UInt64) -> Bool {
        line?.number("rows") == rows && line?.number("misfits") == misfits && line?.text("state") == "ready"
    }

    @Test func `figures and states are told as of the last durable event`() {
        let durable = bench.log.committed.value
        bench.send(ModelsOnSlowDiskTests.append(2, "2"), ModelsOnSlowDiskTests.append(2, #""y""#), from: "ann")
        bench.send(ModelsOnSlowDiskTests.append(3, "3"), ModelsOnSlowDiskTests.append(1, "4"), from: "ann")
        expect(bench.commits.isRunning && bench.log.head.value == durable + 4)
        let lines = bench.ask("MODELS", from: "eve")
        expect(has(lines.first, rows: 1, misfits: 1), "\(lines)")
        expect(lines.last?.number("position") == durable)
        endCommits()
        let later = bench.ask("MODELS", from: "eve")
        expect(has(later.first, rows: 3, misfits: 2), "\(later)")
        expect(later.last?.number("position") == durable + 4)
    }

    @Test func `it waits for the writes of its own connection, and has them`() {
        bench.send(ModelsOnSlowDiskTests.append(2, "2"), "MODELS", from: "ann")
        expect(bench.hear("ann").isEmpty)
        endCommits()
        expect(has(bench.hear("ann").dropFirst().first, rows: 2, misfits: 1))
    }

    @Test(arguments: [#"DEFINE others "from other; n: number; on A { n += 1 }""#, "UNDEFINE orders"])
    func `it waits for a definition that is not durable`(change: String) {
        bench.send(change, from: "ann")
        bench.send("MODELS", from: "eve")
        expect(bench.hear("eve").isEmpty)
        endCommits()
        expect(bench.hear("eve").last?.number("count") == (change.hasPrefix("UN") ? 0 : 2))
    }

    @Test func `it waits for many events that do not fit, and of one model for the names that no event had`() {
        bench.send(ModelsOnSlowDiskTests.append(2, "2"), from: "ann")
        bench.send("MODELS orders", from: "eve")
        expect(bench.hear("eve").isEmpty)
        endCommits()
        expect(has(bench.hear("eve").first, rows: 2, misfits: 1))
        let events = Array(repeating: #"{"type":"Placed","data":{"n":"z"}}"#, count: 101).joined(separator: ",")
        bench.send("APPEND order-4 [\(events)]", from: "ann")
        bench.send("MODELS", from: "eve")
        expect(bench.hear("eve").isEmpty)
        endCommits()
        expect(has(bench.hear("eve").first, rows: 2, misfits: 102))
    }
}
