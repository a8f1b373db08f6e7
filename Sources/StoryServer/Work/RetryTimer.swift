/// The delay after a failure before the next try, in ticks of 0.1 s: one second, if not given.
struct RetryTimer {
    private let end: UInt64

    /// Starts the delay at the current tick.
    init(at tick: UInt64, interval: UInt64 = 10) { end = tick + interval }

    /// Returns true once the delay is over.
    func hasEnded(at tick: UInt64) -> Bool { tick >= end }
}
