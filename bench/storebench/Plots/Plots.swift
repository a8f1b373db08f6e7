extension Plot {
    /// The medians of a row, a panel for each shape, with the limits of its bars; nil when nothing of it was measured.
    static func bars(_ row: Row, _ results: Results) -> Plot? {
        let panels = row.shapes.map { panel($0, of: row, results) }.filter { !$0.isEmpty }
        guard !panels.isEmpty else { return nil }
        return Plot(name: row.id, script: "bars", title: "\(row.id)  \(row.title)", panels: panels)
    }

    private static func panel(_ shape: Shape, of row: Row, _ results: Results) -> [[String]] {
        let head = [shape.name, "\(shape.unit), \(shape.isCost ? "less" : "more") is better"]
        let all = shape.contenders.map { (name: $0.name, figures: results.figures(row.id, shape.name, $0.name)) }
        var lines: [[String]] = []
        for (index, bar) in all.filter({ !$0.figures.isEmpty }).enumerated() {
            let isStorykeep = bar.name == shape.contenders[0].name
            let figures = bar.figures
            let range = figures.samples.count == 1 ? [nil, nil] : [figures.least, figures.most]
            lines.append(
                head + ["\(index)", bar.name, isStorykeep ? "1" : "0"] + ([figures.median] + range + [nil]).map(cell)
                    + [Verdict.text(figures.median) + figures.range])
            guard isStorykeep else { continue }
            for limit in shape.bars.compactMap({ limit($0, of: row, shape, results) }) {
                lines.append(head + ["\(index)", bar.name, "1", "", "", "", cell(limit), ""])
            }
        }
        return lines
    }

    /// The figure that a bar asks for; nil when its contender was not measured.
    private static func limit(_ bar: Bar, of row: Row, _ shape: Shape, _ results: Results) -> Double? {
        let (other, factor): (String, Double)
        switch bar {
        case .most(let limit), .always(let limit), .least(let limit): return limit
        case .ratio(let name, let least): (other, factor) = (name, least)
        case .cost(let name, let most): (other, factor) = (name, most)
        }
        let figures = results.figures(row.id, shape.name, other)
        return figures.isEmpty ? nil : figures.median * factor
    }

    /// Every bar of the specification, measured as a multiple of wanted.
    static func ratios(_ verdicts: [Verdict]) -> Plot {
        let lines = verdicts.map {
            ["\($0.row)  \($0.shape)", cell($0.margin), "\($0.measured), wanted \($0.wanted)"]
        }
        return Plot(
            name: "ratios", script: "ratios", title: "Measured, as a multiple of what is wanted", panels: [lines])
    }

    /// The latencies of rows, each shape under a heading; nil when none was measured.
    static func latencies(_ rows: [Row], _ results: Results) -> Plot? {
        var lines: [[String]] = []
        for row in rows {
            for shape in row.shapes {
                let all = shape.contenders.compactMap { contender -> [String]? in
                    let figures = results.figures(row.id, shape.name, contender.name)
                    let waits = [figures.latency(\.p50us), figures.latency(\.p99us), figures.latency(\.p999us)]
                    guard !waits.contains(nil) else { return nil }
                    return wait(
                        contender.name, isStorykeep: contender.name == shape.contenders[0].name, waits + [nil, nil])
                }
                guard !all.isEmpty else { continue }
                lines += [["\(row.id)  \(row.title): \(shape.name)", "", "", "", "", "", "", ""]] + all
            }
        }
        return lines.isEmpty
            ? nil : Plot(name: "latencies", script: "waits", title: "How long answers took", panels: [lines])
    }

    /// The latencies of one client in each situation, with a limit of 10 ms.
    static func beside(_ all: [Waits]) -> Plot {
        let lines = all.map {
            wait($0.situation, isStorykeep: true, [$0.p50us, $0.p99us, $0.p999us, $0.longestUs, 10_000])
        }
        return Plot(name: "beside", script: "waits", title: "GET of a story by one client, while …", panels: [lines])
    }

    /// - Parameter microseconds: p50, p99, p99.9, the longest and a limit.
    private static func wait(_ name: String, isStorykeep: Bool, _ microseconds: [Double?]) -> [String] {
        ["", name, isStorykeep ? "1" : "0"] + microseconds.map { cell($0.map { $0 / 1_000_000 }) }
    }

    /// Figures at sizes, a panel for each: multiples of the first point.
    static func growth(_ grown: [Grown]) -> Plot {
        let panels = ScaleTable.names(grown).map { figure in
            let points = grown.filter { $0.figure == figure }
            let first = points[0].median
            return points.map {
                [
                    "\(figure), \($0.unit)", "\($0.events)", cell(first > 0 ? $0.median / first : 0),
                    Verdict.text($0.median),
                ]
            }
        }
        return Plot(name: "scale", script: "growth", title: "Figures at sizes", panels: panels)
    }
}
