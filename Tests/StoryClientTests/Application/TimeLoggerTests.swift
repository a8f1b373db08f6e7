import Synchronization
import TestSupport
import Testing

@testable import StoryClient

@Suite struct TimeLoggerTests {
    /// A clock that goes on when it is told to.
    private final class HandClock: Clock {
        struct Instant: InstantProtocol {
            let time: Duration
            func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }
            func duration(to other: Instant) -> Duration { other.time - time }
            static func < (one: Instant, other: Instant) -> Bool { one.time < other.time }
        }

        private let time = Mutex(Duration.zero)
        var now: Instant { Instant(time: time.withLock { $0 }) }
        var minimumResolution: Duration { .zero }
        func advance(by duration: Duration) { time.withLock { $0 += duration } }
        func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
    }

    private enum Outer {
        case plain
        case number(Int)
        case inner(UInt64, Inner)
        case value(Inner)
    }

    private enum Inner { case a, b(text: String) }

    @Test func `each update's time is told beside the name of its message`() {
        let (clock, told) = (HandClock(), Recorded<String>())
        let logger = TimeLogger<Int, Outer, Never>(clock: clock) { name, time in told.add("\(name) \(time)") }
        clock.advance(by: .seconds(5))
        let (state, _) = logger.update(1, .number(7)) { state, _ in
            clock.advance(by: .milliseconds(3))
            return (state + 1, nil)
        }
        _ = logger.update(state, .plain) { state, _ in (state, nil) }
        expect(state == 2)
        expect(told.all == ["number 0.003 seconds", "plain 0.0 seconds"])
    }

    @Test func `a message's name is without what it carries, but for the message within`() {
        let names = [Outer.plain, .number(1), .inner(3, .b(text: "secret")), .value(.a)].map {
            TimeLogger<Int, Outer, Never>.name(of: $0)
        }
        expect(names == ["plain", "number", "inner.b", "value.a"])
    }
}
