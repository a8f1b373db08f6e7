import Foundation

/// Where values stand along a line of a drawing, and what is written beside it.
struct Axis {
    let isLogarithmic: Bool
    let low: Double
    let high: Double
    /// Where `low` and `high` stand; upside down where the second is less.
    let start: Double
    let end: Double
    let ticks: [Double]

    /// From 0 to a round number that all values are within.
    static func linear(_ values: [Double], from start: Double, to end: Double, ticks wanted: Int = 5) -> Axis {
        let most = values.max() ?? 0
        let step = roundStep(max(most, 1e-9) / Double(wanted))
        let count = max(1, Int((most / step - 1e-9).rounded(.up)))
        return Axis(
            isLogarithmic: false, low: 0, high: step * Double(count), start: start, end: end,
            ticks: (0...count).map { step * Double($0) })
    }

    /// Whole powers of ten around all values; those that are not above 0 stand at the low end.
    static func logarithmic(_ values: [Double], from start: Double, to end: Double) -> Axis {
        let known = values.filter { $0 > 0 && $0.isFinite }
        let first = Int(log10(known.min() ?? 1).rounded(.down))
        let last = max(first + 1, Int(log10(known.max() ?? 10).rounded(.up)))
        return Axis(
            isLogarithmic: true, low: pow(10, Double(first)), high: pow(10, Double(last)), start: start, end: end,
            ticks: (first...last).map { pow(10, Double($0)) })
    }

    /// Between two of 1, 2, 5, 10, 20 … around all values, each of them a tick.
    static func fine(_ values: [Double], from start: Double, to end: Double) -> Axis {
        let wide = logarithmic(values, from: start, to: end)
        let all = wide.ticks.flatMap { [$0, $0 * 2, $0 * 5] }
        let known = values.filter { $0 > 0 && $0.isFinite }
        let low = all.last { $0 <= (known.min() ?? 1) * 1.000_001 } ?? wide.low
        let high = all.first { $0 >= (known.max() ?? 10) * 0.999_999 && $0 > low } ?? wide.high
        return Axis(
            isLogarithmic: true, low: low, high: high, start: start, end: end,
            ticks: all.filter { $0 >= low * 0.999_999 && $0 <= high * 1.000_001 })
    }

    /// Where a value stands; one that is off the axis stands at its end.
    func place(_ value: Double) -> Double {
        let within = min(max(value, low), high)
        let part =
            isLogarithmic
            ? (log10(within) - log10(low)) / (log10(high) - log10(low)) : (within - low) / (high - low)
        return start + (end - start) * part
    }

    /// 1, 2 or 5 times a power of ten, at least as much as this.
    static func roundStep(_ least: Double) -> Double {
        let power = pow(10, log10(least).rounded(.down))
        return [1, 2, 5, 10].map { $0 * power }.first { $0 >= least * 0.999_999 } ?? power * 10
    }
}
