import Foundation

/// What became of one bar of the specification.
struct Verdict {
    let row: String
    let shape: String
    let wanted: String
    let measured: String
    /// Nil when whom it is compared with is not here.
    let holds: Bool?

    static func all(_ row: Row, _ results: Results) -> [Verdict] {
        row.shapes.flatMap { shape in shape.bars.compactMap { of($0, row, shape, results) } }
    }

    /// Nil when the shape was not measured.
    private static func of(_ bar: Bar, _ row: Row, _ shape: Shape, _ results: Results) -> Verdict? {
        let own = results.figures(row.id, shape.name, shape.contenders[0].name)
        guard !own.isEmpty else { return nil }
        func verdict(_ wanted: String, _ measured: String, _ holds: Bool?) -> Verdict {
            Verdict(row: row.id, shape: shape.name, wanted: wanted, measured: measured, holds: holds)
        }
        switch bar {
        case .most(let limit):
            return verdict("≤ \(text(limit)) \(shape.unit)", "\(text(own.median)) \(shape.unit)", own.median <= limit)
        case .ratio(let other, let least):
            let wanted = "≥ \(text(least))× \(other)"
            guard let ratio = ratio(own, results.figures(row.id, shape.name, other)) else {
                return verdict(wanted, "\(other) is not here", nil)
            }
            return verdict(wanted, String(format: "%.2f×", ratio), ratio >= least)
        case .cost(let other, let most):
            let wanted = "≤ \(text(most))× \(other)"
            guard let ratio = ratio(own, results.figures(row.id, shape.name, other)) else {
                return verdict(wanted, "\(other) is not here", nil)
            }
            return verdict(wanted, String(format: "%.2f×", ratio), ratio <= most)
        }
    }

    private static func ratio(_ own: Figures, _ other: Figures) -> Double? {
        other.isEmpty || other.median == 0 ? nil : own.median / other.median
    }

    var sign: String {
        switch holds {
        case .some(true): "holds"
        case .some(false): "FALLS SHORT"
        case .none: "not measured"
        }
    }

    /// A number in few digits.
    static func text(_ value: Double) -> String {
        if value >= 1_000_000 { return String(format: "%.2f M", value / 1_000_000) }
        if value >= 10_000 { return String(format: "%.0f k", value / 1_000) }
        if value >= 1_000 { return String(format: "%.1f k", value / 1_000) }
        if value >= 100 { return String(format: "%.0f", value) }
        return String(format: value == value.rounded() ? "%.0f" : "%.2f", value)
    }
}
