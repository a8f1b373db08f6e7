import Foundation

/// The page that people read: written by hand, but for what stands between two marks.
enum Page {
    static let start = "<!-- What follows is written by `make bench-report`. -->"
    static let end = "<!-- What came before is written by `make bench-report`. -->"

    /// Draws the figures of a run into a page, its plots into `plots/` beside it.
    static func write(reading path: String, into page: String) throws(BenchError) {
        guard let old = try? String(contentsOfFile: page, encoding: .utf8) else {
            throw BenchError("cannot read \(page)")
        }
        let folder = URL(fileURLWithPath: page).deletingLastPathComponent().appendingPathComponent("plots")
        let hasPlots = Plot.isGnuplotInstalled
        if !hasPlots { Progress.say("no plots are drawn: gnuplot is missing, install gnuplot-nox") }
        var report = Report(hasPlots: hasPlots)
        report.add(try Results(reading: path))
        let beside = URL(fileURLWithPath: path).deletingLastPathComponent()
        for (name, heading, rows) in [
            ("models", "Declared models", Row.ofModels), ("cluster", "Several nodes", Row.ofCluster),
        ] {
            let file = beside.appendingPathComponent(name + ".jsonl").path
            if let results = try? Results(reading: file) {
                report.add(rows, heading, results)
            } else {
                Progress.say("left out: there is no \(file) of make bench-\(name)")
            }
        }
        for name in ["latency", "scale"] {
            let file = beside.appendingPathComponent(name + ".jsonl").path
            guard let lines = LineFile.lines(of: file) else {
                Progress.say("left out: there is no \(file); make bench-\(name) writes it")
                continue
            }
            let isTold = name == "latency" ? report.addLatency(lines) : report.addScale(lines)
            if !isTold { Progress.say("left out: \(file) is not what make bench-\(name) writes") }
        }
        guard let new = replaced(old, by: report.text) else {
            throw BenchError("\(page) has not the two lines that the figures stand between: \(start)")
        }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for plot in report.plots { try plot.draw(into: folder.path) }
            try new.write(toFile: page, atomically: true, encoding: .utf8)
        } catch { throw BenchError("cannot write \(page) and its plots: \(error)") }
        print("\(page): \(report.plots.count) plots")
    }

    /// A page with other text between the marks; nil when they are not there.
    static func replaced(_ page: String, by text: String) -> String? {
        guard let from = page.range(of: start + "\n"), let to = page.range(of: end),
            from.upperBound <= to.lowerBound
        else { return nil }
        return page[..<from.upperBound] + "\n" + text + "\n" + page[to.lowerBound...]
    }
}
