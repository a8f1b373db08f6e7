import Foundation
import LoopSupport
import StoryCore
@testable import StoryServer
import Testing
import TestSupport

/// What `STATS` says of the work that was done.
struct StatsTests {
    @Test func `the folds of each kind are counted, however the kinds take turns`() throws {
        let bench = LoopBench()
        bench.connected("a")
        for user in ["u1", "u2"] {
            let form = #"{"id":"\#(user)","name":"N","email":"\#(user)@x.org","prefecture":13}"#
            _ = bench.ask("POST users \(form)", from: "a")
        }
        for number in 1...40 {
            _ = bench.ask(
                #"POST messages {"id":"m\#(number)","text":"T","sender":"u1","recipient":"u2"}"#, from: "a")
            _ = bench.ask(#"APPEND note-1 {"type":"A","data":{}}"#, from: "a")
        }
        let stats = try require(bench.ask("STATS", from: "a").last)
        let folds = try require(stats.range(of: #""folds":"#).map { stats[$0.upperBound...] })
        for (kind, count) in [("users", 2), ("messages", 40), ("own", 40)] {
            expect(folds.contains(#""\#(kind)":{"count":\#(count),"p50us":"#))
        }
        expect(!folds.contains(#""photos""#))
    }

    @Test func `the daemon tells for how long it has run, since its own start`() {
        let figures = Figures()
        figures.tick(nanoseconds: 7_000_000_000_000)
        expect(figures.uptimeSeconds == 0)
        figures.tick(nanoseconds: 7_000_900_000_000)
        expect(figures.uptimeSeconds == 0)
        figures.tick(nanoseconds: 7_090_000_000_000)
        expect(figures.uptimeSeconds == 90)
    }
}
