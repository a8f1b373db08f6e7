import Foundation

/// What became of one bar of the specification.
struct Verdict {
    let row: String
    let shape: String
    let wanted: String
    let measured: String
    /// How the figure stands to the bar: 1 just holds, 2 is twice as good. Nil when whom it is compared with is not here.
    let margin: Double?
    /// Nil likewise.
    var holds: Bool? { margin.map { $0 >= 1 } }

    static func all(_ row: Row, _ results: Results) -> [Verdict] {
        row.shapes.flatMap { shape in shape.bars.compactMap { of($0, row, shape, results) } }
    }

    /// Nil when the shape was not measured.
    private static func of(_ bar: Bar, _ row: Row, _ shape: Shape, _ results: Results) -> Verdict? {
        let own = results.figures(row.id, shape.name, shape.contenders[0].name)
        guard !own.isEmpty else { return nil }
        func verdict(_ wanted: String, _ measured: String, _ margin: Double?) -> Verdict {
            Verdict(row: row.id, shape: shape.name, wanted: wanted, measured: measured, margin: margin)
        }
        switch bar {
        case .most(let limit):
            return verdict(
                "≤ \(text(limit, shape.unit))", text(own.median, shape.unit), limit / max(own.median, 1e-9))
        case .least(let limit):
            return verdict("≥ \(text(limit, shape.unit))", text(own.median, shape.unit), own.median / limit)
        case .always(let limit):
            return verdict(
                "≤ \(text(limit, shape.unit)) in each round", text(own.most, shape.unit), limit / max(own.most, 1e-9))
        case .ratio(let other, let least):
            let wanted = "≥ \(text(least))× \(other)"
            guard let ratio = ratio(own, results.figures(row.id, shape.name, other)) else {
                return verdict(wanted, "\(other) is not here", nil)
            }
            return verdict(wanted, String(format: "%.2f×", ratio), ratio / least)
        case .cost(let other, let most):
            let wanted = "≤ \(text(most))× \(other)"
            guard let ratio = ratio(own, results.figures(row.id, shape.name, other)) else {
                return verdict(wanted, "\(other) is not here", nil)
            }
            return verdict(wanted, String(format: "%.2f×", ratio), most / max(ratio, 1e-9))
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

    /// A figure with its unit.
    static func text(_ value: Double, _ unit: String) -> String { text(value) + (unit == "×" ? unit : " " + unit) }

    /// A number in three digits.
    static func text(_ value: Double) -> String {
        let (scaled, suffix): (Double, String) =
            switch value {
            case 999_500...: (value / 1_000_000, " M")
            case 999.5...: (value / 1_000, " k")
            default: (value, "")
            }
        var digits = String(format: scaled >= 99.95 ? "%.0f" : scaled >= 9.995 ? "%.1f" : "%.2f", scaled)
        if digits.contains(".") {
            while digits.hasSuffix("0") { digits.removeLast() }
            if digits.hasSuffix(".") { digits.removeLast() }
        }
        return digits + suffix
    }
}
