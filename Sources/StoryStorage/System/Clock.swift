import Glibc
package import StoryCore

/// Time as a dependency: the wall clock for stored times, a steady clock for measurements.
package struct Clock: Sendable {
    /// Returns the time of the wall clock.
    package let now: @Sendable () -> Instant
    /// Returns the nanoseconds since some moment; never goes backwards.
    package let steady: @Sendable () -> UInt64

    /// Creates a clock from these two functions.
    package init(now: @escaping @Sendable () -> Instant, steady: @escaping @Sendable () -> UInt64) {
        self.now = now
        self.steady = steady
    }

    /// The system's clocks.
    package static let system = Clock(
        now: {
            let time = read(CLOCK_REALTIME)
            return Instant(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
        },
        steady: {
            let time = read(CLOCK_MONOTONIC)
            return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
        })

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        clock_gettime(clock, &time)
        return time
    }
}
