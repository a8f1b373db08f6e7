/// The ticks of the loop's timer, in which waits and silences are counted.
enum Ticks {
    /// The number of ticks in a second: a tick is 0.1 s.
    static let perSecond: UInt64 = 10
}

/// The delay after a failure before the next try, in ticks of 0.1 s: one second, if not given.
struct RetryTimer {
    private let end: UInt64

    /// Starts the delay at the current tick.
    init(at tick: UInt64, interval: UInt64 = 10) { end = tick + interval }

    /// Returns true once the delay is over.
    func hasEnded(at tick: UInt64) -> Bool { tick >= end }
}
