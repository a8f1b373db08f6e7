package import StoryCore
import StoryEngine

/// A table of counters that tell what the daemon did since its start.
///
/// A class, because the engine's middleware and the parts of the loop fill it and the server reads it.
package final class Figures {
    /// When the daemon began, by the wall clock.
    let started: Instant
    private let steady: () -> UInt64
    /// How many requests of each verb were handled.
    @exclusivity(unchecked) private var counts = [UInt64](repeating: 0, count: Verb.allCases.count)
    /// How long those took that were timed: to decide, to read for and to fold.
    @exclusivity(unchecked) private var verbs = [Histogram](repeating: Histogram(), count: Verb.allCases.count)
    /// How long the fold of an event of each kind took; nil: of the users' own events.
    private var folds = [Histogram](repeating: Histogram(), count: Catalogue.standard.kinds.count + 1)
    /// How long each turn's synced commit took.
    private(set) var commits = Histogram()
    /// How long each turn took, from its first input until everything was sent.
    private(set) var turns = Histogram()
    /// How long each checkpoint took to be stored.
    private(set) var checkpoints = Histogram()
    private var checkpointBegan: UInt64?
    /// The events that became durable.
    private(set) var events: UInt64 = 0
    /// How many flushes of the journal into the log ended well.
    private(set) var flushes: UInt64 = 0
    /// How many requests were slow, as the setting `slow` has it.
    private(set) var slowRequests: UInt64 = 0
    private var failures: [ErrorCode: UInt64] = [:]
    /// How many connections were let in, and how many were refused for each reason.
    private(set) var accepted: UInt64 = 0
    private var refusals: [ConnectionRefusal: UInt64] = [:]
    /// Bytes that clients sent, and those that were handed to the sockets for them.
    @exclusivity(unchecked) private(set) var received: UInt64 = 0
    @exclusivity(unchecked) private(set) var sent: UInt64 = 0
    private var conditions: Set<ServerCondition> = []
    /// Events a second over the last whole second.
    private(set) var eventsPerSecond: UInt64 = 0
    /// How many seconds it counts.
    private(set) var uptimeSeconds: UInt64 = 0
    private var began: UInt64?
    private var secondBegan: UInt64 = 0
    private var eventsBefore: UInt64 = 0

    /// - Parameters:
    ///   - started: when the daemon began.
    ///   - steady: nanoseconds, never going backwards.
    package init(started: Instant = Instant(milliseconds: 0), steady: @escaping () -> UInt64 = { 0 }) {
        self.started = started
        self.steady = steady
    }

    // MARK: Requests

    /// A request of a verb is handled; true when it is to be timed.
    ///
    /// The first of each sixteen: reading the clock twice would cost a tenth of it.
    func handled(_ verb: Verb) -> Bool {
        let count = counts[verb.number]
        counts[verb.number] = count + 1
        return count & 15 == 0
    }

    /// One request of a verb took so long.
    func took(_ verb: Verb, nanoseconds: UInt64) { verbs[verb.number].add(nanoseconds) }

    /// How many requests of a verb were handled.
    func count(of verb: Verb) -> UInt64 { counts[verb.number] }

    /// How long the requests of a verb took that were timed.
    func durations(of verb: Verb) -> Histogram { verbs[verb.number] }

    /// Requests were answered with this error.
    func failed(_ code: ErrorCode, count: UInt64 = 1) { failures[code, default: 0] += count }

    /// How many requests were answered with an error.
    func errors(of code: ErrorCode) -> UInt64 { failures[code] ?? 0 }

    /// How many requests failed.
    var errors: UInt64 { failures.values.reduce(0, +) }

    /// Requests took longer than the setting `slow` allows.
    func wasSlow(count: UInt64) { slowRequests += count }

    // MARK: Folds, commits and turns

    func folded(_ kind: Kind?, nanoseconds: UInt64) { folds[FoldTimer.slot(kind)].add(nanoseconds) }

    /// Nil when no such event was folded.
    func foldDurations(of kind: Kind?) -> Histogram? {
        let histogram = folds[FoldTimer.slot(kind)]
        return histogram.count > 0 ? histogram : nil
    }

    /// Events are durable: whatever kept them from it is over.
    func committed(events count: UInt64, nanoseconds: UInt64) {
        events += count
        commits.add(nanoseconds)
        if !conditions.isEmpty { conditions.remove(.full) }
    }

    /// A turn of the loop took so long.
    func turned(nanoseconds: UInt64) { turns.add(nanoseconds) }

    /// The log took over what its journal held.
    func flushed() { flushes += 1 }

    /// The models begin to be stored.
    func checkpointBegins() { checkpointBegan = steady() }

    /// The models were stored.
    func checkpointEnded() {
        if let checkpointBegan { checkpoints.add(steady() - checkpointBegan) }
        checkpointBegan = nil
    }

    // MARK: Connections

    /// A client was let in.
    func connected() { accepted += 1 }

    /// A client was turned away.
    func refused(_ reason: ConnectionRefusal) { refusals[reason, default: 0] += 1 }

    /// How many clients were turned away for this reason.
    func refusals(for reason: ConnectionRefusal) -> UInt64 { refusals[reason] ?? 0 }

    /// A client sent so many bytes.
    func received(_ count: Int) { received += UInt64(count) }

    /// So many bytes were handed to the sockets.
    func sent(_ count: Int) { sent += UInt64(count) }

    // MARK: Conditions

    /// A condition holds from now on, or no longer does.
    func set(_ condition: ServerCondition, _ holds: Bool) {
        if holds { conditions.insert(condition) } else { conditions.remove(condition) }
    }

    /// True while a condition holds.
    func holds(_ condition: ServerCondition) -> Bool { conditions.contains(condition) }

    // MARK: Time

    /// Called now and then with a steady clock.
    func tick(nanoseconds now: UInt64) {
        let start = began ?? now
        began = start
        uptimeSeconds = now > start ? (now - start) / 1_000_000_000 : 0
        guard now >= secondBegan + 1_000_000_000 else { return }
        let seconds = max(1, (now - secondBegan) / 1_000_000_000)
        eventsPerSecond = (events - eventsBefore) / seconds
        eventsBefore = events
        secondBegan = now
    }
}

/// A reason for which a client that connects is turned away.
enum ConnectionRefusal: String, CaseIterable {
    case denied, busy, draining
}

/// A state of the daemon that somebody should look at; the trace has a word for each.
enum ServerCondition: String, CaseIterable {
    /// The last turn that wrote found no space.
    case full
    /// The journal's events found no room in the log.
    case flushFailed = "flush-failed"
    /// The models were not written.
    case checkpointFailed = "checkpoint-failed"
    /// The system has nothing to let a client in with.
    case notAccepting = "not-accepting"
    /// The clock is more than a minute behind the log's last event.
    case clockBehind = "clock-behind"
}
