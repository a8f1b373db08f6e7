/// How figures change with the number of events: a small panel for each, as multiples of its first point.
struct GrowthPlot {
    struct Panel {
        let name: String
        let unit: String
        let points: [(events: Double, value: Double)]
    }

    let panels: [Panel]

    private static let width = 760.0
    private static let column = 380.0
    private static let row = 190.0

    func drawing() -> SVG {
        let rows = (panels.count + 1) / 2
        var drawing = SVG(width: GrowthPlot.width, height: 58 + Double(rows) * GrowthPlot.row)
        drawing.text("Figures at sizes", 16, 26, size: 15, isBold: true)
        drawing.text(
            "across: events stored, logarithmic; up: as a multiple of the first point; the words: the figure itself",
            16, 44, size: 11, colour: SVG.Colour.faint)
        for (index, panel) in panels.enumerated() {
            draw(panel, Double(index % 2) * GrowthPlot.column, 58 + Double(index / 2) * GrowthPlot.row, on: &drawing)
        }
        return drawing
    }

    private func draw(_ panel: Panel, _ left: Double, _ top: Double, on drawing: inout SVG) {
        drawing.text("\(panel.name), \(panel.unit)", left + 16, top + 16, isBold: true)
        guard let first = panel.points.first, first.value > 0 else { return }
        let multiples = panel.points.map { $0.value / first.value }
        let (bottom, ceiling) = (top + GrowthPlot.row - 40, top + 44)
        let across = Axis.logarithmic(panel.points.map(\.events), from: left + 80, to: left + GrowthPlot.column - 56)
        let up = Axis.linear(multiples + [1], from: bottom, to: ceiling, ticks: 3)
        for tick in up.ticks {
            let y = up.place(tick)
            drawing.line(across.start, y, across.end, y, SVG.Colour.rule)
            drawing.text(
                "\(Verdict.text(tick))×", across.start - 26, y + 4, size: 11, anchor: .end, colour: SVG.Colour.faint)
        }
        for tick in across.ticks {
            drawing.line(across.place(tick), bottom, across.place(tick), bottom + 4, SVG.Colour.faint)
            drawing.text(
                Verdict.text(tick), across.place(tick), bottom + 18, size: 11, anchor: .middle,
                colour: SVG.Colour.faint)
        }
        let places = zip(panel.points, multiples).map { (x: across.place($0.events), y: up.place($1)) }
        drawing.path(places, SVG.Colour.own)
        for (place, point) in zip(places, panel.points) {
            drawing.circle(place.x, place.y, 3.5, fill: SVG.Colour.own, stroke: "#ffffff")
            drawing.text(
                Verdict.text(point.value), place.x, place.y - 9, size: 11, anchor: .middle, isOverLines: true)
        }
    }
}
