import Glibc

/// The progress display of a long step, on a terminal only: its name, a bar, a count, the rate and the time left.
final class Progress {
    /// The time between two drawings of the line.
    private static let interval: Duration = .milliseconds(100)
    private static let shortestBar = 4

    private let step: String
    private let unit: String
    private let began = ContinuousClock.now
    private var shown: ContinuousClock.Instant?
    /// The bar's length: it only shrinks, when the rest of the line grows.
    private var bar = 20

    /// Begins a step.
    ///
    /// - Parameters:
    ///   - step: the name of the step: `checking the log`.
    ///   - unit: the unit of the counts: `events`.
    init(_ step: String, _ unit: String) { (self.step, self.unit) = (step, unit) }

    /// Shows the count that was reached.
    ///
    /// - Parameters:
    ///   - all: the total count; nil when it is unknown.
    ///   - share: the part of the step that is done, from 0 to 1, when the counts do not define it.
    func show(_ done: UInt64, of all: UInt64?, share: Double? = nil) {
        let now = ContinuousClock.now
        guard shown.map({ now - $0 >= Progress.interval }) ?? true, StatusLine.isWanted else { return }
        shown = now
        let counted = all.map { $0 > 0 ? Double(min(done, $0)) / Double($0) : 1 }
        let count = all.map { "\(done) of \($0) \(unit)" } ?? "\(done) \(unit)"
        let facts = [count] + Progress.pace(done, share ?? counted, after: (now - began).inSeconds)
        StatusLine.show(line(share ?? counted, facts, width: StatusLine.width))
    }

    /// Returns the rate and the time left; nothing in the first second, whose rate is not meaningful yet.
    private static func pace(_ done: UInt64, _ share: Double?, after seconds: Double) -> [String] {
        let rate = seconds > 0 ? Double(done) / seconds : 0
        guard seconds >= 1, rate >= 1 else { return [] }
        var facts = ["\(UInt64(rate))/s"]
        if let share, share > 0, share < 1 {
            facts.append("\(Units.time(seconds: (seconds * (1 - share) / share).rounded(.up))) left")
        }
        return facts
    }

    /// Returns `checking the log: [====    ] 40 %, 400 of 1000 events, 200/s, 3 s left`; the bar fills the remaining
    /// width.
    private func line(_ share: Double?, _ facts: [String], width: Int) -> String {
        guard let share else { return "\(step): " + facts.joined(separator: ", ") }
        let rest = (["\(Int(share * 100)) %"] + facts).joined(separator: ", ")
        bar = min(bar, width - step.utf8.count - rest.utf8.count - 5)
        guard bar >= Progress.shortestBar else { return "\(step): \(rest)" }
        let full = Int(Double(bar) * share)
        let drawn = String(repeating: "=", count: full) + String(repeating: " ", count: bar - full)
        return "\(step): [\(drawn)] \(rest)"
    }
}

extension Duration {
    /// The duration in seconds, with fractions.
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
