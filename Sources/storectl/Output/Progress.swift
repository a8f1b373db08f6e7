/// How far long work is, how fast, and how long it will take; on a terminal only.
final class Progress {
    /// How often a line is drawn again.
    private static let interval: Duration = .milliseconds(100)

    private let unit: String
    private let began = ContinuousClock.now
    private var shown: ContinuousClock.Instant?

    /// - Parameter unit: what is counted: `events`.
    init(_ unit: String) { self.unit = unit }

    /// So many are done; nil where nobody knows of how many.
    func show(_ done: UInt64, of all: UInt64?) {
        let now = ContinuousClock.now
        guard shown.map({ now - $0 >= Progress.interval }) ?? true else { return }
        shown = now
        Output.progress(Progress.line(done, of: all, unit, after: now - began))
    }

    /// `400 of 1000 events, 40 %, 200/s, 3 s left`.
    static func line(_ done: UInt64, of all: UInt64?, _ unit: String, after elapsed: Duration) -> String {
        let seconds = elapsed.inSeconds
        let rate = seconds > 0 ? Double(done) / seconds : 0
        var line = "\(done)"
        if let all { line += " of \(all)" }
        line += " \(unit)"
        if let all, all > 0 { line += ", \(min(done, all) * 100 / all) %" }
        // The first moments say nothing of how fast it is.
        guard seconds >= 1, rate >= 1 else { return line }
        line += ", \(UInt64(rate))/s"
        if let all, all > done { line += ", \(UInt64((Double(all - done) / rate).rounded(.up))) s left" }
        return line
    }
}

extension Duration {
    /// In seconds, with their fractions.
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
