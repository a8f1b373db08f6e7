import StoryCore
import StoryEngine
import StoryReactor
import StoryWire

/// Finds the requests that took longer than the setting `slow`, from the line to the reply that leaves, and traces them.
///
/// Time is that of turns: no clock is read for a request.
final class SlowRequests {
    /// So many are traced a second; the others are counted.
    private static let tracedInSecond: UInt64 = 10
    /// The ends of so many turns are remembered.
    private static let rememberedTurns = 256

    /// In nanoseconds; nil: none is slow.
    private let limit: UInt64?
    private let clock: () -> UInt64
    private let figures: Figures
    private let trace: Trace
    /// When the turn began, in nanoseconds; nil between turns.
    @exclusivity(unchecked) private var began: UInt64?
    @exclusivity(unchecked) private var turn: UInt64 = 0
    /// When each of the last turns ended, by its number.
    @exclusivity(unchecked) private var ends = [UInt64](repeating: 0, count: rememberedTurns)
    /// The first request that left in the turn in which it was taken up, and how many there were.
    @exclusivity(unchecked) private var quickest: (group: AskedRequests.Group, connection: Connection)?
    @exclusivity(unchecked) private var quickCount: UInt64 = 0
    /// When replies of earlier turns' requests left in this turn.
    @exclusivity(unchecked) private var leftAt: UInt64?
    private var tracedCount: UInt64 = 0
    private var moreCount: UInt64 = 0

    /// - Parameters:
    ///   - limit: in nanoseconds; 0: no request is slow.
    ///   - clock: nanoseconds, never going backwards.
    init(limit: UInt64, clock: @escaping () -> UInt64, _ figures: Figures, _ trace: Trace) {
        self.limit = limit > 0 ? limit : nil
        self.clock = clock
        self.figures = figures
        self.trace = trace
    }

    // MARK: Turns

    /// Something happens: the turn begins, if it did not yet.
    @inline(__always)
    func turnGoesOn() {
        if began == nil { began = clock() }
    }

    /// Everything of the turn was done.
    func turnEnded() {
        guard let began else { return }
        let now = clock()
        let took = now - began
        figures.turned(nanoseconds: took)
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

    /// A second went by.
    func secondPassed() {
        if moreCount > 0 { trace.say("slow-more", ["count": "\(moreCount)"]) }
        (tracedCount, moreCount) = (0, 0)
    }

    // MARK: Requests

    /// A request was taken up and answered at once.
    @inline(__always)
    func replied(_ verb: Verb, _ given: GivenNames, _ connection: Connection) {
        guard limit != nil else { return }
        add(RequestOutline(verb: verb, given: given), connection)
    }

    /// A request was met whose answer comes later.
    func answerBegan(_ verb: Verb, _ given: GivenNames, _ connection: Connection) {
        guard limit != nil else { return }
        connection.asked.underWay = RequestOutline(verb: verb, given: given)
        if connection.asked.waitingSince == nil { connection.asked.waitingSince = began }
    }

    /// A request was met that has to wait, and is met again.
    func mustWait(_ connection: Connection) {
        if limit != nil, connection.asked.waitingSince == nil { connection.asked.waitingSince = began }
    }

    /// The answer that was under way is whole.
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

    /// Bytes of the connection's replies left.
    @inline(__always)
    func left(_ connection: Connection) {
        if !connection.asked.isEmpty { look(at: connection) }
    }

    private func look(at connection: Connection) {
        guard let limit, let began else { return connection.asked.forget() }
        connection.asked.left(connection.client.sent) { group in
            guard group.began != began else {
                // How long the turn takes is not known before it ends.
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
        figures.wasSlow(count: count)
        guard tracedCount < SlowRequests.tracedInSecond else {
            moreCount += count
            return
        }
        tracedCount += 1
        moreCount += count - 1
        let given = group.first.given
        trace.say(
            "slow",
            [
                "verb": group.first.verb.rawValue, "target": given.target(of: group.first.verb) ?? "-",
                "options": given.options ?? "-",
                "ms": "\(nanoseconds / 1_000_000)", "work-ms": "\(work / 1_000_000)",
                "client": "\(connection.client.number)", "uid": "\(connection.session.peer.uid)",
            ])
    }
}
