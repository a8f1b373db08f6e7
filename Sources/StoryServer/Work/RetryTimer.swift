/// The delay after a failure before the next try, in ticks of 0.1 s: one second, if not given.
struct RetryTimer {
    /// The delay, in ticks.
    static let interval: UInt64 = 10

    private let end: UInt64

    /// Starts the delay.
    ///
    /// - Parameters:
    ///   - tick: the current tick.
    ///   - interval: the delay, in ticks.
    init(at tick: UInt64, interval: UInt64 = RetryTimer.interval) { end = tick + interval }

    /// Returns true once the delay is over.
    func hasEnded(at tick: UInt64) -> Bool { tick >= end }
}
