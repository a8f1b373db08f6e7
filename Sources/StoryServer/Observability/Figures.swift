package import StoryCore
import StoryEngine

/// The counters of the daemon since its start.
///
/// A class, because the engine's middleware and the parts of the loop write to it, and the server reads it.
package final class Figures {
    /// When the daemon started, by the wall clock.
    let started: Instant
    private let steady: () -> UInt64
    /// The number of handled requests of each verb.
    private var counts = [UInt64](repeating: 0, count: Verb.allCases.count)
    /// The durations of the timed requests of each verb: deciding, reading and folding.
    private var verbs = [Histogram](repeating: Histogram(), count: Verb.allCases.count)
    /// The durations of the folds of each kind of event, and of the users' own events.
    private var folds: [Kind?: Histogram] = [:]
    /// The durations of the synced commits.
    private(set) var commits = Histogram()
    /// The durations of the turns, from the first input until everything was sent.
    var turns = Histogram()
    /// The durations of searches for words, from the request to their end.
    private(set) var finds = Histogram()
    /// The durations of the checkpoints.
    private(set) var checkpoints = Histogram()
    private var checkpointBegan: UInt64?
    /// The number of events that became durable.
    private(set) var events: UInt64 = 0
    /// The number of erasures that were carried out.
    var erasures: UInt64 = 0
    /// The number of successful flushes of the journal into the log.
    var flushes: UInt64 = 0
    /// The number of times that damaged models were replaced.
    private(set) var rebuilds: UInt64 = 0
    /// The number of rounds of the scrub that found every page in use as it was written.
    private(set) var scrubs: UInt64 = 0
    private var scrubbedAt: UInt64?
    /// The number of slow requests, by the setting `slow`.
    var slowRequests: UInt64 = 0
    private var failures: [ErrorCode: UInt64] = [:]
    /// The number of accepted connections, and of refused ones for each reason.
    var accepted: UInt64 = 0
    var refusals: [ConnectionRefusal: UInt64] = [:]
    /// The seconds until the own certificate expires, fewer than 0 once it has; nil where there is none.
    var certificateSeconds: Int?
    /// The calls of a node to the ordering service.
    var ordering = OrderingFigures()
    /// The bytes received from clients, and the bytes handed to their sockets.
    var received: UInt64 = 0
    var sent: UInt64 = 0
    /// The conditions that begin and end with a happening; `Conditions` has all of them.
    private(set) var conditions: Set<StoreCondition> = []
    /// The number of events per second over the last whole second.
    private(set) var eventsPerSecond: UInt64 = 0
    /// The seconds since the first tick.
    private(set) var uptimeSeconds: UInt64 = 0
    private var began: UInt64?
    private var secondBegan: UInt64 = 0
    private var eventsBefore: UInt64 = 0

    /// Makes counters that are all zero.
    ///
    /// - Parameters:
    ///   - started: when the daemon started.
    ///   - steady: returns nanoseconds, never going backwards.
    package init(started: Instant = Instant(milliseconds: 0), steady: @escaping () -> UInt64 = { 0 }) {
        self.started = started
        self.steady = steady
    }

    // MARK: Requests

    /// Counts a request; returns true when it is to be timed.
    ///
    /// Times the first of each sixteen: reading the clock twice would cost a tenth of a request.
    func handled(_ verb: Verb) -> Bool {
        let count = counts[verb.number]
        counts[verb.number] = count + 1
        return count & 15 == 0
    }

    func took(_ verb: Verb, nanoseconds: UInt64) { verbs[verb.number].add(nanoseconds) }

    func count(of verb: Verb) -> UInt64 { counts[verb.number] }

    func durations(of verb: Verb) -> Histogram { verbs[verb.number] }

    /// Counts a request of a client that was answered with this error.
    func failed(_ code: ErrorCode, of connection: Connection) {
        failures[code, default: 0] += 1
        connection.client.errors += 1
    }

    func errors(of code: ErrorCode) -> UInt64 { failures[code] ?? 0 }

    /// The number of requests that failed.
    var errors: UInt64 { failures.values.reduce(0, +) }

    // MARK: Folds, commits and turns

    func folded(_ kind: Kind?, nanoseconds: UInt64) {
        folds[kind, default: Histogram()].add(nanoseconds)
    }

    /// Drops the durations of the kinds that a catalogue lacks.
    func catalogueReplaced(by catalogue: Catalogue) {
        folds = folds.filter { kind, _ in kind.map { catalogue.schema(of: $0) != nil } ?? true }
    }

    /// Returns the durations of the folds of a kind; nil when there were none.
    func foldDurations(of kind: Kind?) -> Histogram? { folds[kind] }

    /// Counts durable events and their commit, which ends the condition `full`.
    func committed(events count: UInt64, nanoseconds: UInt64) {
        events += count
        commits.add(nanoseconds)
        if !conditions.isEmpty { conditions.remove(.full) }
    }

    func checkpointBegins() { checkpointBegan = steady() }

    /// Counts a replacement of the models by new ones, which ends the condition `rebuilding`.
    func modelsRebuilt() {
        rebuilds += 1
        conditions.remove(.rebuilding)
    }

    /// Counts a round of the scrub.
    func scrubbed() {
        scrubs += 1
        scrubbedAt = steady()
    }

    /// The seconds since the last round of the scrub, or since the start where none has ended.
    var secondsSinceScrub: UInt64 {
        guard let since = scrubbedAt ?? began, case let now = steady(), now > since else { return 0 }
        return (now - since) / 1_000_000_000
    }

    /// Notes a search that has ended.
    func found(nanoseconds: UInt64) { finds.add(nanoseconds) }

    /// Adds the duration of the checkpoint that was stored.
    func checkpointEnded() {
        if let checkpointBegan { checkpoints.add(steady() - checkpointBegan) }
        checkpointBegan = nil
    }

    // MARK: Conditions

    func set(_ condition: StoreCondition, _ holds: Bool) {
        if holds { conditions.insert(condition) } else { conditions.remove(condition) }
    }

    // MARK: Time

    /// Updates the rate and the uptime by the steady clock; called ten times a second.
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

/// A reason to refuse a client that connects.
enum ConnectionRefusal: String, CaseIterable {
    case denied, busy, draining
    /// TLS failed.
    case insecure
    /// The handshake of TLS did not end in time, or before others wanted the slot.
    case silent
}

/// The counts and durations of a node's calls to the ordering service; all are 0 for another store.
struct OrderingFigures {
    /// The outcome of a call.
    enum Outcome: String, CaseIterable {
        /// It was answered as it was meant.
        case answered
        /// It was a call of a node that led, which the ordering service refused since another one led.
        case fenced
        /// Its outcome did not become known.
        case unknown
    }

    /// The calls that ended, by their outcome.
    private(set) var ended: [Outcome: UInt64] = [:]
    /// The calls that were made again after one whose outcome is unknown.
    var retried: UInt64 = 0
    /// The durations of the calls that were answered.
    private(set) var durations = Histogram()

    /// Counts the end of a call.
    mutating func ended(_ outcome: Outcome, nanoseconds: UInt64) {
        ended[outcome, default: 0] += 1
        if outcome != .unknown { durations.add(nanoseconds) }
    }

    /// The members of `STATS`.
    var members: [Member] {
        [
            Member("calls", .count(ended.values.reduce(0, +))), Member("unknown", .count(ended[.unknown] ?? 0)),
            Member("retried", .count(retried)), Member("fenced", .count(ended[.fenced] ?? 0)),
            Member("p50us", .number(microseconds(0.5))), Member("p99us", .number(microseconds(0.99))),
        ]
    }

    private func microseconds(_ part: Double) -> Double { Double(durations.percentile(part)) / 1_000 }
}
