import Foundation
import TestSupport
import Testing

@testable import storebench

@Suite struct PlotTests {
    @Test func `Each plot has a table of its figures`() throws {
        let plots = try PlotTests.plots()
        expect(plots.map(\.name) == ["ratios", "S1", "latencies", "beside", "scale"])
        expect(plots.map(\.script) == ["ratios", "bars", "waits", "waits", "growth"])
        let ratios = "S1  1 client, one at a time"
        let bars = "1 client, one at a time\tevents/s, more is better"
        let tables = [
            "\(ratios)\t1.3043478260869565\t1.50×, wanted ≥ 1.15× redis\n\(ratios)\t\tlmdb is not here, wanted ≥ 1× lmdb\n",
            """
            \(bars)\t0\tstorekeep\t1\t300.0\t200.0\t400.0\t\t300 (200–400)
            \(bars)\t0\tstorekeep\t1\t\t\t\t229.99999999999997\t
            \(bars)\t1\tredis\t0\t200.0\t\t\t\t200

            """,
            """
            S1  durable APPEND: 1 client, one at a time\t\t\t\t\t\t\t
            \tstorekeep\t1\t0.0001\t0.002\t0.03\t\t

            """,
            "\tidle\t1\t1e-06\t1e-05\t0.0001\t0.001\t0.01\n",
            "start, ms\t1000\t1.0\t5\nstart, ms\t10000\t2.4\t12\n\n\nstop, ms\t1000\t1.0\t2\n",
        ]
        expect(plots.map(\.table) == tables)
    }

    @Test func `What is no number is an empty cell, and what was not measured has no bars and no limits`() throws {
        expect([nil, .nan, .infinity, 0].map(Plot.cell) == ["", "", "", "0.0"])
        let results = try Results("tiny", writingTo: nil)
        expect(Row.all.allSatisfy { Plot.bars($0, results) == nil })
        results.add(PlotTests.measured("redis", [], perSecond: 100))
        expect(Row.all.compactMap { Plot.bars($0, results) }.map(\.panels.first?.count) == [1])
    }

    @Test func `gnuplot gets the style, the script, the table, the file and the title, and no settings of the user`() {
        let command = Plot(name: "S1", script: "bars", title: "a row", panels: []).command(reading: "/a", into: "/b")
        expect(command.count == 8 && command[0...1] == ["gnuplot", "-d"] && command[3] == "-c")
        expect(command[2].hasSuffix("/bench/gnuplot/style.gp") && command[4].hasSuffix("/bench/gnuplot/bars.gp"))
        expect(command[5...] == ["/a", "/b/S1.svg", "a row"])
    }

    @Test(.enabled(if: Plot.isGnuplotInstalled), arguments: [1, 0, 1e12])
    func `Each plot is an SVG that has its words, of zeros and of large figures too`(factor: Double) throws {
        let folder = try Scratch()
        for plot in try PlotTests.plots(times: factor) {
            try plot.draw(into: folder.path)
            let text = Files.text(folder.place("\(plot.name).svg"))
            expect(text.contains("<svg ") && isWellFormed(text), "\(plot.name)")
            let words = plot.panels.joined().joined().filter { !$0.isEmpty && Double($0) == nil }
            for word in words + [plot.title] { expect(text.contains(">\(word)</text>"), "\(plot.name): \(word)") }
        }
    }

    @Test(.enabled(if: Plot.isGnuplotInstalled)) func `What gnuplot cannot draw is an error with its words`() throws {
        let plot = Plot(name: "none", script: "no-script", title: "", panels: [])
        let folder = try Scratch()
        let error = try #require(throws: BenchError.self) { try plot.draw(into: folder.path) }
        expect(error.description.contains("no-script.gp'"))
    }

    /// The plots of a report on a few figures.
    private static func plots(times factor: Double = 1) throws -> [Plot] {
        let results = try Results("tiny", writingTo: nil)
        for figure in [300.0, 200, 400] {
            results.add(measured("storekeep", [100, 2_000, 30_000].map { $0 * factor }, perSecond: figure * factor))
        }
        results.add(measured("redis", [], perSecond: 200 * factor))
        var report = Report(hasPlots: true)
        report.add(results)
        let machine = try JSONEncoder().encode(results.machine)
        let waits = """
            {"situation": "idle", "beside": "", "answers": 1, "over10ms": 0, "withoutCore": 0, "p50us": \(factor),
            "p99us": \(10 * factor), "p999us": \(100 * factor), "longestUs": \(1_000 * factor)}
            """
        _ = report.addLatency([machine, Data(waits.utf8)])
        let grown = [("start", 1_000, 5.0), ("start", 10_000, 12), ("stop", 1_000, 2)].map {
            Grown($0.0, "ms", events: $0.1, [$0.2 * factor])
        }
        _ = report.addScale(try [machine] + grown.map { try JSONEncoder().encode($0) })
        return report.plots
    }

    private static func measured(_ contender: String, _ waits: [Double], perSecond: Double) -> Measured {
        var sample = Sample(perSecond: perSecond)
        if waits.count == 3 { (sample.p50us, sample.p99us, sample.p999us) = (waits[0], waits[1], waits[2]) }
        return Measured(
            row: "S1", shape: "1 client, one at a time", contender: contender, round: 0, unit: "", sample: sample)
    }
}
