import StoryCore
import StoryEngine
import StoryReactor
import StoryWire

/// The trace of slow requests: those that took longer than the setting `slow`, from the line to the sent reply.
///
/// Durations are measured by the times of turns: no clock is read for a single request.
final class SlowRequests {
    /// The maximum number of requests traced per second; the others are counted.
    private static let tracedInSecond: UInt64 = 10
    /// The number of turns whose ends are remembered.
    private static let rememberedTurns = 256

    /// The threshold in nanoseconds; nil: no request is slow.
    private let limit: UInt64?
    private let clock: () -> UInt64
    private let figures: Figures
    private let trace: Trace
    /// Returns the present catalogue, which has the names of kinds and filters.
    private let catalogue: () -> Catalogue
    /// When the turn began, in nanoseconds; nil between turns.
    private var began: UInt64?
    private var turn: UInt64 = 0
    /// A ring of the ends of the last turns, in nanoseconds, by their number.
    private var ends = [UInt64](repeating: 0, count: rememberedTurns)
    /// The first request that was read and replied to in this turn, and the number of such requests.
    private var quickest: (group: AskedRequests.Group, connection: Connection)?
    private var quickCount: UInt64 = 0
    /// When replies to requests of earlier turns were sent in this turn, in nanoseconds; nil while none were.
    private var leftAt: UInt64?
    private var tracedCount: UInt64 = 0
    private var moreCount: UInt64 = 0

    /// - Parameters:
    ///   - limit: the threshold in nanoseconds; 0: no request is slow.
    ///   - clock: returns nanoseconds, never going backwards.
    init(
        limit: UInt64, clock: @escaping () -> UInt64, _ figures: Figures, _ trace: Trace,
        catalogue: @escaping () -> Catalogue
    ) {
        self.catalogue = catalogue
        self.limit = limit > 0 ? limit : nil
        self.clock = clock
        self.figures = figures
        self.trace = trace
    }

    // MARK: Turns

    /// Begins the turn, if it has not begun.
    @inline(__always)
    func turnGoesOn() {
        if began == nil { began = clock() }
    }

    /// Ends the turn, and traces its requests where the turn itself was slow.
    func turnEnded() {
        guard let began else { return }
        let now = clock()
        let took = now - began
        figures.turns.add(took)
        ends[Int(turn % UInt64(SlowRequests.rememberedTurns))] = now
        turn += 1
        (self.began, leftAt) = (nil, nil)
        if let quickest {
            if let limit, took >= limit {
                tell(quickest.group, count: quickCount, nanoseconds: took, work: took, quickest.connection)
            }
            self.quickest = nil
            quickCount = 0
        }
    }

    /// Traces the number of slow requests that were not traced in the last second.
    func secondPassed() {
        if moreCount > 0 { trace.say("slow-more", ["count": "\(moreCount)"]) }
        (tracedCount, moreCount) = (0, 0)
    }

    // MARK: Requests

    /// Notes a request that was read and replied to at once.
    @inline(__always)
    func replied(_ verb: Verb, _ given: GivenNames, _ connection: Connection) {
        guard limit != nil else { return }
        add(RequestOutline(verb: verb, given: given), connection)
    }

    /// Notes a request whose answer comes later.
    func answerBegan(_ verb: Verb, _ given: GivenNames, _ connection: Connection) {
        guard limit != nil else { return }
        connection.asked.underWay = RequestOutline(verb: verb, given: given)
        if connection.asked.waitingSince == nil { connection.asked.waitingSince = began }
    }

    /// Notes a request that has to wait and will be read again.
    func mustWait(_ connection: Connection) {
        if limit != nil, connection.asked.waitingSince == nil { connection.asked.waitingSince = began }
    }

    /// Notes that the answer in progress is complete.
    func answerEnded(_ connection: Connection) {
        guard let request = connection.asked.underWay else { return }
        connection.asked.underWay = nil
        add(request, connection)
    }

    private func add(_ request: RequestOutline, _ connection: Connection) {
        turnGoesOn()
        guard let began else { return }
        let since = connection.asked.waitingSince ?? began
        connection.asked.waitingSince = nil
        let end = connection.client.sent + UInt64(connection.output.count)
        connection.asked.replied(request, began: since, in: turn, end: end)
    }

    /// Notes that output of the connection was sent.
    @inline(__always)
    func left(_ connection: Connection) {
        if !connection.asked.isEmpty { look(at: connection) }
    }

    private func look(at connection: Connection) {
        guard let limit, let began else { return connection.asked.forget() }
        connection.asked.left(connection.client.sent) { group in
            guard group.began != began else {
                // The duration of the turn is known only when it ends.
                if quickest == nil { quickest = (group, connection) }
                quickCount += group.count
                return
            }
            let end = leftAt ?? clock()
            leftAt = end
            guard end - group.began >= limit else { return }
            let work = group.turn == turn ? end : endOfTurn(group.turn, before: end)
            tell(
                group, count: group.count, nanoseconds: end - group.began, work: work - min(work, group.began),
                connection)
        }
    }

    private func endOfTurn(_ number: UInt64, before end: UInt64) -> UInt64 {
        guard turn - number < UInt64(SlowRequests.rememberedTurns) else { return end }
        return ends[Int(number % UInt64(SlowRequests.rememberedTurns))]
    }

    /// Counts slow requests, and traces the first of them.
    private func tell(
        _ group: AskedRequests.Group, count: UInt64, nanoseconds: UInt64, work: UInt64, _ connection: Connection
    ) {
        figures.slowRequests += count
        guard tracedCount < SlowRequests.tracedInSecond else {
            moreCount += count
            return
        }
        tracedCount += 1
        moreCount += count - 1
        let (given, catalogue) = (group.first.given, catalogue())
        trace.say(
            "slow",
            [
                "verb": group.first.verb.name, "target": given.target(of: group.first.verb, in: catalogue) ?? "-",
                "options": given.options(in: catalogue) ?? "-",
                "ms": "\(nanoseconds / 1_000_000)", "work-ms": "\(work / 1_000_000)",
                "client": "\(connection.client.number)", "uid": "\(connection.peer.uid)",
            ])
    }
}
