/// Figures at sizes and of crowds in Markdown.
enum ScaleTable {
    static func text(_ grown: [Grown]) -> String {
        let sizes = Set(grown.map(\.events)).sorted()
        var lines = [
            "| at | " + sizes.map { "\(Verdict.text(Double($0))) events" }.joined(separator: " | ") + " |",
            "|---|" + String(repeating: "---|", count: sizes.count),
        ]
        for figure in names(grown) {
            let cells = sizes.map { events in
                grown.first { $0.figure == figure && $0.events == events }.map(cell) ?? ""
            }
            lines.append("| \(figure) | " + cells.joined(separator: " | ") + " |")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    static func text(_ loaded: [Loaded]) -> String {
        var lines: [String] = []
        var crowd = ""
        for load in loaded {
            if load.crowd != crowd {
                if !crowd.isEmpty { lines.append("") }
                crowd = load.crowd
                lines += ["| \(crowd) | throughput | p50 | p99 | p99.9 | longest |", "|---|---|---|---|---|---|"]
            }
            let waits = [load.p50us, load.p99us, load.p999us, load.longestUs].map(Table.duration)
            let bytes = load.megabytesPerSecond.map { ", \(Verdict.text($0)) MB/s" } ?? ""
            lines.append(
                "| \(load.shape) | \(Verdict.text(load.perSecond, load.unit))\(bytes) | \(waits.joined(separator: " | ")) |"
            )
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The figures in the order they were taken.
    static func names(_ grown: [Grown]) -> [String] {
        var names: [String] = []
        for line in grown where !names.contains(line.figure) { names.append(line.figure) }
        return names
    }

    private static func cell(_ grown: Grown) -> String {
        let range =
            grown.least == grown.most ? "" : " (\(Verdict.text(grown.least))–\(Verdict.text(grown.most)))"
        return Verdict.text(grown.median, grown.unit) + range
    }
}
