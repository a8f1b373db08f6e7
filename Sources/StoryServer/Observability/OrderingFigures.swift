import StoryCore

/// The counts and durations of a node's calls to the ordering service; all are 0 for another store.
struct OrderingFigures {
    /// The outcome of a call.
    enum Outcome: String, CaseIterable {
        /// It was answered as it was meant.
        case answered
        /// It was a call of a node that led, which the ordering service refused since another one led.
        case fenced
        /// Its outcome did not become known.
        case unknown
    }

    /// The calls that ended, by their outcome.
    private(set) var ended: [Outcome: UInt64] = [:]
    /// The calls that were made again after one whose outcome is unknown.
    var retried: UInt64 = 0
    /// The durations of the calls that were answered.
    private(set) var durations = Histogram()

    /// Counts the end of a call.
    mutating func ended(_ outcome: Outcome, nanoseconds: UInt64) {
        ended[outcome, default: 0] += 1
        if outcome != .unknown { durations.add(nanoseconds) }
    }

    /// The members of `STATS`.
    var members: [Member] {
        [
            Member("calls", .count(ended.values.reduce(0, +))), Member("unknown", .count(ended[.unknown] ?? 0)),
            Member("retried", .count(retried)), Member("fenced", .count(ended[.fenced] ?? 0)),
            Member("p50us", .number(microseconds(0.5))), Member("p99us", .number(microseconds(0.99))),
        ]
    }

    private func microseconds(_ part: Double) -> Double { Double(durations.percentile(part)) / 1_000 }
}
