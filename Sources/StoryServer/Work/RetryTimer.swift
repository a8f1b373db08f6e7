/// The delay after a failure before the next try, in ticks of 0.1 s: one second.
struct RetryTimer: Equatable {
    /// The delay, in ticks.
    static let interval: UInt64 = 10

    private let end: UInt64

    /// Starts the delay.
    ///
    /// - Parameter tick: the current tick.
    init(at tick: UInt64) { end = tick + RetryTimer.interval }

    /// Returns true once the delay is over.
    func hasEnded(at tick: UInt64) -> Bool { tick >= end }
}
