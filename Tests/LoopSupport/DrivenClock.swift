package import StoryCore
package import StoryStorage
import Synchronization

/// A clock that goes on by a step each time it is looked at, and by what the test says.
package final class DrivenClock: Sendable {
    private let milliseconds = Atomic<Int64>(1_800_000_000_000)
    private let millisecondStep = Atomic<Int64>(1)
    private let steady = Atomic<UInt64>(0)
    private let steadyStep = Atomic<UInt64>(100)

    package init() {}

    /// What the wall clock says next.
    package func now() -> Instant {
        let step = millisecondStep.load(ordering: .relaxed)
        return Instant(milliseconds: milliseconds.add(step, ordering: .relaxed).newValue)
    }

    /// By how much the wall clock goes on at each look.
    package func setStep(milliseconds step: Int64) { millisecondStep.store(step, ordering: .relaxed) }

    /// By how much the steady clock goes on at each look, in nanoseconds.
    package func setStep(nanoseconds step: UInt64) { steadyStep.store(step, ordering: .relaxed) }

    /// Sets the wall clock, forwards or back.
    package func jump(milliseconds: Int64) { self.milliseconds.add(milliseconds, ordering: .relaxed) }

    /// So many nanoseconds go by.
    package func pass(nanoseconds: UInt64) { steady.add(nanoseconds, ordering: .relaxed) }

    /// The clock as the daemon has it.
    package var clock: Clock {
        Clock(
            now: { self.now() },
            steady: { self.steady.add(self.steadyStep.load(ordering: .relaxed), ordering: .relaxed).newValue })
    }
}
