import Foundation

/// What a page says of runs, and the plots that it shows.
struct Report {
    /// Whether the page shows plots.
    let hasPlots: Bool
    private(set) var plots: [Plot] = []
    private var parts: [String] = []

    init(hasPlots: Bool) { self.hasPlots = hasPlots }

    var text: String { parts.joined(separator: "\n") }

    mutating func add(_ results: Results) {
        let verdicts = Row.all.flatMap { Verdict.all($0, results) }
        parts.append("## Wanted and measured\n\n\(results.machine.line)\n\n" + Table.verdicts(Row.all, results))
        let omissions = Table.omissions(results)
        if !omissions.isEmpty { parts.append("Not measured:\n" + omissions) }
        if !verdicts.isEmpty {
            show(.ratios(verdicts), "measured as a multiple of wanted")
        }
        parts.append("## Figures\n\n" + Table.figures(Row.all, results))
        for row in Row.all {
            guard let plot = Plot.bars(row, results) else { continue }
            show(plot, "\(row.id), \(row.title)")
        }
        let timed = Row.all.filter { ["S1", "S2", "S3", "S4", "S5", "S6", "S10", "S13", "S14"].contains($0.id) }
        // The heading is above nothing but the plot.
        guard hasPlots, let latencies = Plot.latencies(timed, results) else { return }
        parts.append("## Latencies\n")
        show(latencies, "how long answers took")
    }

    /// Rows under a heading of their own, without plots.
    mutating func add(_ rows: [Row], _ heading: String, _ results: Results) {
        parts.append(
            "## \(heading)\n\n\(results.machine.line)\n\n" + Table.verdicts(rows, results) + "\n"
                + Table.figures(rows, results) + Table.omissions(results))
    }

    /// What one client waited for; false when the lines do not tell.
    mutating func addLatency(_ lines: [Data]) -> Bool {
        let all = LineFile.those(Waits.self, of: lines)
        guard let machine = LineFile.those(Machine.self, of: lines).first, !all.isEmpty else {
            return false
        }
        parts.append("## One client beside other work\n\n\(machine.line)\n\n" + LatencyTable.text(all))
        show(.beside(all), "how long one client waits beside other work")
        return true
    }

    /// Figures at sizes and of crowds; false when the lines do not tell.
    mutating func addScale(_ lines: [Data]) -> Bool {
        let grown = LineFile.those(Grown.self, of: lines)
        let loaded = LineFile.those(Loaded.self, of: lines)
        guard let machine = LineFile.those(Machine.self, of: lines).first, !grown.isEmpty else {
            return false
        }
        parts.append("## Scale\n\n\(machine.line)\n\n" + ScaleTable.text(grown))
        show(.growth(grown), "figures at sizes")
        parts.append(ScaleTable.text(loaded))
        return true
    }

    private mutating func show(_ plot: Plot, _ words: String) {
        guard hasPlots else { return }
        plots.append(plot)
        parts.append("![\(words)](plots/\(plot.name).svg)\n")
    }
}
