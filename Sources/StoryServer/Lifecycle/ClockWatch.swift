import StoryCore
import StoryStorage

/// A check of the wall clock: traces when it is far from the time of the log's last event at start-up, and when it
/// jumps.
///
/// Only the times of events depend on the clock, and they never decrease: while the clock is behind the log's last
/// event, events get the time of that event.
struct ClockWatch {
    /// The tolerated lag behind the log's last event, in milliseconds.
    private static let behind: Int64 = 60_000
    /// The tolerated lead over the log's last event, in milliseconds: a store may not have been served for a month.
    private static let ahead: Int64 = 31 * 86_400_000
    /// The tolerated jump between two looks, in milliseconds.
    private static let jump: Int64 = 60_000

    private let clock: Clock
    private let trace: Trace
    private var last: (wall: Int64, steady: Int64)?

    init(_ clock: Clock, _ trace: Trace) {
        self.clock = clock
        self.trace = trace
    }

    /// Compares the clock with the time of the log's last event at start-up; nil for an empty log.
    func started(after time: Instant?) {
        guard let time else { return }
        let distance = clock.now().milliseconds - time.milliseconds
        if distance < -ClockWatch.behind {
            trace.say("clock-behind", ["seconds": "\(-distance / 1_000)", "last": time.text])
        } else if distance > ClockWatch.ahead {
            trace.say("clock-ahead", ["seconds": "\(distance / 1_000)", "last": time.text])
        }
    }

    /// Returns true while the clock is more than the tolerated lag behind the log's last event.
    func isBehind(_ time: Instant?) -> Bool {
        guard let time else { return false }
        return clock.now().milliseconds - time.milliseconds < -ClockWatch.behind
    }

    /// Compares the wall clock with the steady clock since the last look; called ten times a second.
    mutating func look() {
        let now = (wall: clock.now().milliseconds, steady: Int64(clamping: clock.steady() / 1_000_000))
        defer { last = now }
        guard let last else { return }
        let jumped = (now.wall - last.wall) - (now.steady - last.steady)
        guard abs(jumped) > ClockWatch.jump else { return }
        trace.say("clock-jumped", ["seconds": "\(jumped / 1_000)"])
    }
}
