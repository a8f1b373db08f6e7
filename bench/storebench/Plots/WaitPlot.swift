/// How long answers took: the half of them, 99 %, 99.9 % and, where it is known, the longest, on a logarithmic axis.
struct WaitPlot {
    struct Line {
        let name: String
        let isOwn: Bool
        /// Microseconds: p50, p99, p99.9 and maybe the longest.
        let waits: [Double]
    }

    struct Group {
        let name: String
        let lines: [Line]
    }

    let title: String
    let groups: [Group]
    /// A wait that is marked, in microseconds.
    var mark: Double?

    private static let width = 760.0
    private static let step = 20.0
    private static let heading = 26.0
    private static let names = ["p50", "p99", "p99.9", "longest"]

    /// The rows that one at a time or many at once wait in, each shape a group.
    init?(_ rows: [Row], _ results: Results) {
        title = "How long answers took"
        groups = rows.flatMap { row in
            row.shapes.map { shape in
                let lines = shape.contenders.compactMap { contender -> Line? in
                    let figures = results.figures(row.id, shape.name, contender.name)
                    guard let half = figures.latency(\.p50us), let most = figures.latency(\.p99us),
                        let rare = figures.latency(\.p999us)
                    else { return nil }
                    return Line(
                        name: contender.name, isOwn: contender.name == shape.contenders[0].name,
                        waits: [half, most, rare])
                }
                return Group(name: "\(row.id)  \(row.title): \(shape.name)", lines: lines)
            }
        }.filter { !$0.lines.isEmpty }
        if groups.isEmpty { return nil }
    }

    init(title: String, groups: [Group], mark: Double? = nil) {
        self.title = title
        self.groups = groups
        self.mark = mark
    }

    func drawing() -> SVG {
        let lines = groups.flatMap(\.lines)
        let left = 40 + (lines.map { SVG.width(of: $0.name) }.max() ?? 0)
        let first = 58.0
        let heights = groups.map { Double($0.lines.count) * WaitPlot.step + ($0.name.isEmpty ? 0 : WaitPlot.heading) }
        let bottom = first + heights.reduce(0, +) + 6
        var drawing = SVG(width: WaitPlot.width, height: bottom + 32)
        drawing.text(title, 16, 26, size: 15, isBold: true)
        legend(lines.map(\.waits.count).max() ?? 3, on: &drawing)
        let axis = Axis.logarithmic(
            lines.flatMap(\.waits) + (mark.map { [$0 * 1.1] } ?? []), from: left, to: WaitPlot.width - 40)
        for tick in axis.ticks {
            let x = axis.place(tick)
            drawing.line(x, first, x, bottom, SVG.Colour.rule)
            drawing.text(
                WaitPlot.text(tick), x, bottom + 16, size: 11, anchor: .middle, colour: SVG.Colour.faint)
        }
        if let mark, mark > axis.low, mark < axis.high {
            drawing.line(axis.place(mark), first, axis.place(mark), bottom, SVG.Colour.bad, isDashed: true)
        }
        var top = first
        for (group, height) in zip(groups, heights) {
            draw(group, axis, top, on: &drawing)
            top += height
        }
        return drawing
    }

    private func draw(_ group: Group, _ axis: Axis, _ top: Double, on drawing: inout SVG) {
        var top = top
        if !group.name.isEmpty {
            // The rules behind the words are covered.
            drawing.rectangle(12, top + 3, SVG.width(of: group.name) + 8, WaitPlot.heading - 6, "#ffffff")
            drawing.text(group.name, 16, top + 18, size: 12, isBold: true)
            top += WaitPlot.heading
        }
        for line in group.lines {
            let middle = top + WaitPlot.step / 2
            let colour = line.isOwn ? SVG.Colour.own : SVG.Colour.other
            drawing.text(line.name, axis.start - 10, middle + 4, anchor: .end, isBold: line.isOwn)
            let places = line.waits.map(axis.place)
            if let first = places.first, let last = places.last {
                drawing.line(first, middle, last, middle, colour, width: 2)
            }
            for (index, x) in places.enumerated() { marker(index, x, middle, colour, on: &drawing) }
            top += WaitPlot.step
        }
    }

    private func marker(_ index: Int, _ x: Double, _ y: Double, _ colour: String, on drawing: inout SVG) {
        switch index {
        case 0: drawing.circle(x, y, 4.5, fill: colour, stroke: colour)
        case 1: drawing.circle(x, y, 4, fill: "#ffffff", stroke: colour)
        case 2: drawing.line(x, y - 6, x, y + 6, colour, width: 3)
        default:
            drawing.line(x - 4, y - 4, x + 4, y + 4, colour, width: 2)
            drawing.line(x - 4, y + 4, x + 4, y - 4, colour, width: 2)
        }
    }

    private func legend(_ count: Int, on drawing: inout SVG) {
        var x = 22.0
        for (index, name) in WaitPlot.names.prefix(count).enumerated() {
            marker(index, x, 42, SVG.Colour.faint, on: &drawing)
            drawing.text(name, x + 10, 46, size: 11, colour: SVG.Colour.faint)
            x += 30 + SVG.width(of: name, size: 11)
        }
        if mark != nil { drawing.text("dashed: 10 ms", x, 46, size: 11, colour: SVG.Colour.bad) }
    }

    private static func text(_ microseconds: Double) -> String {
        switch microseconds {
        case ..<1_000: "\(Verdict.text(microseconds)) µs"
        case ..<1_000_000: "\(Verdict.text(microseconds / 1_000)) ms"
        default: "\(Verdict.text(microseconds / 1_000_000)) s"
        }
    }
}
