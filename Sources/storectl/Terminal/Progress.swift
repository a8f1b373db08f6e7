import Glibc

/// The progress display of a long step, on a terminal only: its name, a bar, a count, the rate and the time left.
final class Progress {
    /// The time between two drawings of the line.
    private static let interval: Duration = .milliseconds(100)
    /// The lengths of the bar, and the number of columns from which on it is the long one.
    private static let (shortBar, longBar, wide) = (10, 20, 100)

    private let step: String
    private let unit: String
    private let began = ContinuousClock.now
    private var shown: ContinuousClock.Instant?

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
        let pace = Progress.pace(done, share ?? counted, after: (now - began).inSeconds)
        StatusLine.show(line(share ?? counted, count, pace, width: StatusLine.width))
    }

    /// Returns the rate and the time left; nil in the first second, whose rate is not meaningful yet.
    private static func pace(
        _ done: UInt64, _ share: Double?, after seconds: Double
    ) -> (rate: String?, left: String?) {
        let rate = seconds > 0 ? Double(done) / seconds : 0
        guard seconds >= 1, rate >= 1 else { return (nil, nil) }
        var left: String?
        if let share, share > 0, share < 1 {
            left = "\(Units.time(seconds: (seconds * (1 - share) / share).rounded(.up))) left"
        }
        return ("\(UInt64(rate))/s", left)
    }

    /// Returns `checking the log: [====    ] 40 %, 400 of 1000 events, 200/s, 3 s left`. The bar keeps its length: the
    /// rate is left out where there is no room, then the count.
    private func line(_ share: Double?, _ count: String, _ pace: (rate: String?, left: String?), width: Int) -> String {
        func joined(_ facts: String?...) -> String { facts.compactMap(\.self).joined(separator: ", ") }
        guard let share else { return "\(step): " + joined(count, pace.rate) }
        let percent = "\(Int(share * 100)) %"
        let bar = width < Progress.wide ? Progress.shortBar : Progress.longBar
        let room = width - step.utf8.count - bar - 5
        let rests = [
            joined(percent, count, pace.rate, pace.left), joined(percent, count, pace.left), joined(percent, pace.left),
        ]
        guard let rest = rests.first(where: { $0.utf8.count <= room }) else { return "\(step): \(percent)" }
        let full = Int(Double(bar) * share)
        let drawn = String(repeating: "=", count: full) + String(repeating: " ", count: bar - full)
        return "\(step): [\(drawn)] \(rest)"
    }
}

extension Duration {
    /// The duration in seconds, with fractions.
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

/// The display of elapsed time while another process works and reports no progress; on a terminal only.
enum Stopwatch {
    /// The read end of a pipe that is closed with the work, and the step's name.
    private final class Wait {
        let end: Int32
        let step: String

        init(_ end: Int32, _ step: String) { (self.end, self.step) = (end, step) }
    }

    /// Does the work, and meanwhile shows the step with the elapsed seconds.
    static func run<Result, Failure: Error>(
        _ step: String, _ work: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var ends: [Int32] = [-1, -1]
        guard StatusLine.isWanted, pipe(&ends) == 0 else { return try work() }
        var thread = pthread_t()
        let wait = Unmanaged.passRetained(Wait(ends[0], step)).toOpaque()
        let isMade = pthread_create(&thread, nil, { Stopwatch.show($0) }, wait) == 0
        if !isMade { Unmanaged<Wait>.fromOpaque(wait).release() }
        defer {
            close(ends[1])
            if isMade { pthread_join(thread, nil) }
            close(ends[0])
            StatusLine.erase()
        }
        return try work()
    }

    private static func show(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let context else { return nil }
        let wait = Unmanaged<Wait>.fromOpaque(context).takeRetainedValue()
        var seconds = 0
        while !Interruption.came(within: .seconds(1), on: wait.end) {
            seconds += 1
            StatusLine.show("\(wait.step): \(Units.time(seconds: Double(seconds)))")
        }
        return nil
    }
}
