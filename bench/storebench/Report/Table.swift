import Foundation

/// The tables of a run in Markdown.
enum Table {
    static func verdicts(_ rows: [Row], _ results: Results) -> String {
        var lines = ["| | shape | wanted | measured | verdict |", "|---|---|---|---|---|"]
        for row in rows {
            for verdict in Verdict.all(row, results) {
                lines.append(
                    "| \(row.id) | \(row.title): \(verdict.shape) | \(verdict.wanted) | \(verdict.measured) | \(verdict.sign) |"
                )
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    static func figures(_ rows: [Row], _ results: Results) -> String {
        var lines = [
            "| | shape | of | median (range) | rounds | p50 · p99 · p99.9 | loop, each |",
            "|---|---|---|---|---|---|---|",
        ]
        for row in rows {
            for shape in row.shapes {
                for contender in shape.contenders {
                    let figures = results.figures(row.id, shape.name, contender.name)
                    guard !figures.isEmpty else { continue }
                    lines.append(line(row, shape, contender, figures))
                }
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// What was not measured, and why.
    static func omissions(_ results: Results) -> String {
        guard !results.omissions.isEmpty else { return "" }
        return "\n" + results.omissions.map { "- \($0.omitted)" }.joined(separator: "\n") + "\n"
    }

    private static func line(_ row: Row, _ shape: Shape, _ contender: Contender, _ figures: Figures) -> String {
        var latency = ""
        if let half = figures.latency(\.p50us), let most = figures.latency(\.p99us),
            let rare = figures.latency(\.p999us)
        {
            latency = [half, most, rare].map(duration).joined(separator: " · ")
        }
        let loop = figures.latency(\.loopUs).map { Verdict.text($0, "µs") } ?? ""
        return
            "| \(row.id) | \(shape.name) | \(contender.name) | \(Verdict.text(figures.median, shape.unit))\(figures.range) "
            + "| \(figures.samples.count) | \(latency) | \(loop) |"
    }

    static func duration(_ microseconds: Double) -> String {
        microseconds < 1_000 ? String(format: "%.0f µs", microseconds) : String(format: "%.1f ms", microseconds / 1_000)
    }
}
