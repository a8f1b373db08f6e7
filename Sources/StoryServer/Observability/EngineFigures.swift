import StoryCore

/// The counts and durations of a node's calls to the engine of the log; all are 0 for another store.
struct EngineFigures {
    /// The calls that were answered as they were meant.
    private(set) var answered: UInt64 = 0
    /// The calls whose outcome did not become known.
    private(set) var unknown: UInt64 = 0
    /// The calls of a node that led, which the engine refused since another one led.
    private(set) var fenced: UInt64 = 0
    /// The calls that were made again after one whose outcome is unknown.
    var retried: UInt64 = 0
    /// The durations of the calls that were answered.
    private(set) var durations = Histogram()

    /// The number of calls that ended.
    var calls: UInt64 { answered + fenced + unknown }

    /// The outcome of a call.
    enum Outcome: String, CaseIterable {
        case answered, fenced, unknown
    }

    /// Returns the number of calls with an outcome.
    func count(of outcome: Outcome) -> UInt64 {
        switch outcome {
        case .answered: answered
        case .fenced: fenced
        case .unknown: unknown
        }
    }

    /// Counts the end of a call.
    mutating func ended(_ outcome: Outcome, nanoseconds: UInt64) {
        switch outcome {
        case .answered: answered += 1
        case .fenced: fenced += 1
        case .unknown: unknown += 1
        }
        if outcome != .unknown { durations.add(nanoseconds) }
    }

    /// The members of `STATS`.
    var members: [Member] {
        [
            Member("calls", .count(calls)), Member("unknown", .count(unknown)), Member("retried", .count(retried)),
            Member("fenced", .count(fenced)), Member("p50us", .number(microseconds(0.5))),
            Member("p99us", .number(microseconds(0.99))),
        ]
    }

    private func microseconds(_ part: Double) -> Double { Double(durations.percentile(part)) / 1_000 }
}
