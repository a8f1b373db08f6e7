import StoryCore
import StoryStorage

/// Says when the wall clock cannot be right: where it is far from the log's last event at the start, and where it jumps.
///
/// Nothing rests on it but the times of events, and those never go back: while the clock is behind the log's last
/// event, events get that one's time.
struct ClockWatch {
    /// How far behind the log's last event the clock may be unsaid, in milliseconds.
    private static let behind: Int64 = 60_000
    /// How far ahead of it: a store may have rested for so long.
    private static let ahead: Int64 = 31 * 86_400_000
    /// How far it may go off between two looks, in milliseconds.
    private static let jump: Int64 = 60_000

    private let clock: Clock
    private let trace: Trace
    private var last: (wall: Int64, steady: Int64)?

    init(_ clock: Clock, _ trace: Trace) {
        self.clock = clock
        self.trace = trace
    }

    /// The daemon starts on a log that ends with an event of this time; nil: with none.
    func started(after time: Instant?) {
        guard let time else { return }
        let distance = clock.now().milliseconds - time.milliseconds
        if distance < -ClockWatch.behind {
            trace.say("clock-behind", ["seconds": "\(-distance / 1_000)", "last": time.text])
        } else if distance > ClockWatch.ahead {
            trace.say("clock-ahead", ["seconds": "\(distance / 1_000)", "last": time.text])
        }
    }

    /// True while the clock is so far behind the log's last event that it is said.
    func isBehind(_ time: Instant?) -> Bool {
        guard let time else { return false }
        return clock.now().milliseconds - time.milliseconds < -ClockWatch.behind
    }

    /// Looks at the clock, now and then.
    mutating func look() {
        let now = (wall: clock.now().milliseconds, steady: Int64(clamping: clock.steady() / 1_000_000))
        defer { last = now }
        guard let last else { return }
        let jumped = (now.wall - last.wall) - (now.steady - last.steady)
        guard abs(jumped) > ClockWatch.jump else { return }
        trace.say("clock-jumped", ["seconds": "\(jumped / 1_000)"])
    }
}
