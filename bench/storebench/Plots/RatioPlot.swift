import Foundation

/// Every bar of the specification: how many times as good as wanted the figure is.
struct RatioPlot {
    let verdicts: [Verdict]

    private static let width = 860.0
    private static let step = 22.0

    func drawing() -> SVG {
        let labels = verdicts.map { "\($0.row)  \($0.shape)" }
        let sayings = verdicts.map { "\($0.measured), wanted \($0.wanted)" }
        let left = 28 + (labels.map { SVG.width(of: $0) }.max() ?? 0)
        let right = RatioPlot.width - 28 - (sayings.map { SVG.width(of: $0) }.max() ?? 0)
        let first = 62.0
        let bottom = first + Double(verdicts.count) * RatioPlot.step
        var drawing = SVG(width: RatioPlot.width, height: bottom + 34)
        drawing.text("Measured, as a multiple of what is wanted", 16, 26, size: 15, isBold: true)
        drawing.text(
            "right of 1: the bar holds. Where less is better, wanted by measured. The axis is logarithmic.", 16, 44,
            size: 11, colour: SVG.Colour.faint)
        let axis = Axis.fine(verdicts.compactMap(\.margin) + [0.5, 2], from: left, to: right)
        draw(axis, first, bottom, on: &drawing)
        for (index, verdict) in verdicts.enumerated() {
            let middle = first + (Double(index) + 0.5) * RatioPlot.step
            drawing.text(labels[index], 16, middle + 4)
            drawing.text(sayings[index], axis.end + 14, middle + 4)
            guard let margin = verdict.margin else { continue }
            let (one, x) = (axis.place(1), axis.place(margin))
            let colour = margin >= 1 ? SVG.Colour.good : SVG.Colour.bad
            drawing.rectangle(min(one, x), middle - 6, abs(x - one), 12, colour)
        }
        drawing.line(axis.place(1), first - 4, axis.place(1), bottom + 4, SVG.Colour.ink, width: 2)
        return drawing
    }

    private func draw(_ axis: Axis, _ first: Double, _ bottom: Double, on drawing: inout SVG) {
        for tick in axis.ticks { drawing.line(axis.place(tick), first, axis.place(tick), bottom, SVG.Colour.rule) }
        // Whole powers of ten have their words first, the others where there is room.
        var taken: [ClosedRange<Double>] = []
        for tick in axis.ticks.sorted(by: { isWhole($0) && !isWhole($1) }) {
            let (x, text) = (axis.place(tick), "\(Verdict.text(tick))×")
            let half = SVG.width(of: text, size: 11) / 2 + 1
            guard !taken.contains(where: { $0.overlaps(x - half...x + half) }) else { continue }
            taken.append(x - half...x + half)
            drawing.text(text, x, bottom + 18, size: 11, anchor: .middle, colour: SVG.Colour.faint)
        }
    }

    private func isWhole(_ tick: Double) -> Bool {
        let power = log10(tick)
        return abs(power - power.rounded()) < 1e-6
    }
}
