import StoryCore

/// Picks the first of each sixteen requests of a verb to be timed: reading the clock twice would cost a tenth of it.
struct RequestTimer {
    private static let interval: UInt8 = 16
    private var counts = [UInt8](repeating: 0, count: Verb.allCases.count)

    /// True when the request that begins now is to be timed.
    mutating func begins(_ verb: Verb) -> Bool {
        let count = counts[verb.number]
        counts[verb.number] = (count + 1) % RequestTimer.interval
        return count == 0
    }
}
