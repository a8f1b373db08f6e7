/// A row's medians as horizontal bars, from the least to the most of the rounds: a panel for each shape.
struct BarPlot {
    struct Entry {
        let name: String
        let figures: Figures
        let isOwn: Bool
        /// What this bar has to reach, or must not pass.
        var wanted: [Double] = []
    }

    struct Panel {
        let name: String
        let unit: String
        let isCost: Bool
        let bars: [Entry]
    }

    let title: String
    let panels: [Panel]

    /// Nil when nothing of the row was measured.
    init?(_ row: Row, _ results: Results) {
        title = "\(row.id)  \(row.title)"
        panels = row.shapes.compactMap { shape in
            let own = shape.contenders[0].name
            let bars = shape.contenders.compactMap { contender -> Entry? in
                let figures = results.figures(row.id, shape.name, contender.name)
                guard !figures.isEmpty else { return nil }
                let wanted =
                    contender.name == own
                    ? shape.bars.compactMap { BarPlot.wanted($0, row, shape, results) } : []
                return Entry(name: contender.name, figures: figures, isOwn: contender.name == own, wanted: wanted)
            }
            return bars.isEmpty ? nil : Panel(name: shape.name, unit: shape.unit, isCost: shape.isCost, bars: bars)
        }
        if panels.isEmpty { return nil }
    }

    private static func wanted(_ bar: Bar, _ row: Row, _ shape: Shape, _ results: Results) -> Double? {
        let (other, factor): (String, Double)
        switch bar {
        case .most(let limit), .always(let limit): return limit
        case .ratio(let name, let least): (other, factor) = (name, least)
        case .cost(let name, let most): (other, factor) = (name, most)
        }
        let figures = results.figures(row.id, shape.name, other)
        return figures.isEmpty ? nil : figures.median * factor
    }

    private static let width = 760.0
    private static let bar = 24.0

    func drawing() -> SVG {
        let names = panels.flatMap(\.bars).map(\.name)
        let left = 24 + (names.map { SVG.width(of: $0) }.max() ?? 0)
        let values = panels.flatMap { panel in panel.bars.map { value($0, panel.unit) } }
        let right = BarPlot.width - 24 - (values.map { SVG.width(of: $0) }.max() ?? 0)
        let height = 52 + panels.reduce(0) { $0 + Double($1.bars.count) * BarPlot.bar + 66 } + 14
        var drawing = SVG(width: BarPlot.width, height: height)
        drawing.text(title, 16, 26, size: 15, isBold: true)
        drawing.text(
            "median; whiskers: least and most of the rounds; dashed: what is wanted", 16, 44, size: 11,
            colour: SVG.Colour.faint)
        var top = 52.0
        for panel in panels {
            draw(panel, from: left, to: right, top: top, on: &drawing)
            top += Double(panel.bars.count) * BarPlot.bar + 66
        }
        return drawing
    }

    private func draw(_ panel: Panel, from left: Double, to right: Double, top: Double, on drawing: inout SVG) {
        let values = panel.bars.flatMap { [$0.figures.most] + $0.wanted }
        let axis = Axis.linear(values, from: left, to: right)
        let better = panel.isCost ? "less is better" : "more is better"
        drawing.text(panel.name, 16, top + 22, size: 13, isBold: true)
        drawing.text(
            "\(panel.unit), \(better)", BarPlot.width - 16, top + 22, size: 11, anchor: .end, colour: SVG.Colour.faint)
        let first = top + 32
        let bottom = first + Double(panel.bars.count) * BarPlot.bar
        for tick in axis.ticks {
            let x = axis.place(tick)
            drawing.line(x, first, x, bottom + 3, SVG.Colour.rule)
            drawing.text(Verdict.text(tick), x, bottom + 16, size: 11, anchor: .middle, colour: SVG.Colour.faint)
        }
        for (index, bar) in panel.bars.enumerated() {
            draw(bar, panel.unit, axis, first + Double(index) * BarPlot.bar, on: &drawing)
        }
    }

    private func draw(_ bar: Entry, _ unit: String, _ axis: Axis, _ top: Double, on drawing: inout SVG) {
        let middle = top + BarPlot.bar / 2
        let end = axis.place(bar.figures.median)
        drawing.text(bar.name, axis.start - 8, middle + 4, anchor: .end, isBold: bar.isOwn)
        drawing.rectangle(
            axis.start, top + 4, end - axis.start, BarPlot.bar - 8, bar.isOwn ? SVG.Colour.own : SVG.Colour.other)
        if bar.figures.samples.count > 1 {
            let (from, to) = (axis.place(bar.figures.least), axis.place(bar.figures.most))
            drawing.line(from, middle, to, middle, SVG.Colour.ink)
            for x in [from, to] { drawing.line(x, middle - 4, x, middle + 4, SVG.Colour.ink) }
        }
        for wanted in bar.wanted {
            let x = axis.place(wanted)
            drawing.line(x, top + 1, x, top + BarPlot.bar - 1, SVG.Colour.bad, width: 2, isDashed: true)
        }
        drawing.text(value(bar, unit), axis.end + 12, middle + 4, isBold: bar.isOwn)
    }

    private func value(_ bar: Entry, _ unit: String) -> String {
        let range =
            bar.figures.samples.count == 1
            ? "" : " (\(Verdict.text(bar.figures.least))–\(Verdict.text(bar.figures.most)))"
        return Verdict.text(bar.figures.median) + range
    }
}
