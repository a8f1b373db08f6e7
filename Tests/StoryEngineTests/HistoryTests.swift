import StoryCore
import StoryEngine
import Testing
import TestSupport

/// Where readings begin: at positions, versions and times, and in which history.
struct HistoryTests {
    private static let start: Int64 = 1_800_000_000_000
    private let world: EngineHarness

    /// Positions 1 … 6, ten milliseconds apart, 3 and 4 at one time; note-a has 1, 3 and 6.
    init() {
        let identity = LogIdentity(
            id: LogID(trusted: "this".bytes),
            ancestors: [LogIdentity.Ancestor(id: LogID(trusted: "parent".bytes), position: Position(4))])
        world = EngineHarness(identity: identity)
        for (stream, tens) in [("a", 1), ("b", 2), ("a", 3), ("b", 3), ("b", 5), ("a", 6)] as [(String, Int64)] {
            world.now = HistoryTests.time(tens * 10)
            world.ask(.append("note-\(stream)", "A"))
        }
    }

    private static func time(_ milliseconds: Int64) -> Instant { Instant(milliseconds: start + milliseconds) }

    private func read(
        _ source: EventSelection.Source = .all, from: ReadBound? = nil, to: ReadBound? = nil,
        _ order: Order = .ascending, log: String? = nil
    ) -> Answer {
        world.ask(
            .read(
                ReadQuery(
                    selection: EventSelection(source: source), from: from, to: to, limit: 9, order: order,
                    log: log.map { LogID(trusted: $0.bytes) })))
    }

    private func bounds(_ answer: Answer) -> [UInt64]? {
        guard let plan = answer.plan else { return nil }
        return plan.lower > plan.upper ? [] : [plan.lower, plan.upper]
    }

    private func subscribe(from: Moment? = nil, log: String? = nil) -> Answer {
        let all = EventSelection(source: .all)
        return world.ask(.subscribe(SubscribeQuery(all, from: from, log: log.map { LogID(trusted: $0.bytes) })))
    }

    /// Where the subscription begins that was just asked for.
    private func start(_ answer: Answer) -> UInt64? {
        answer.failure == nil ? world.session.active.all.last?.next.value : nil
    }

    @Test(
        arguments: [
            (10, nil, [1, 6]), (11, nil, [2, 6]), (30, nil, [3, 6]), (31, nil, [5, 6]), (61, nil, []),
            (nil, 9, []), (nil, 10, [1, 1]), (nil, 30, [1, 4]), (nil, 59, [1, 5]), (nil, 999, [1, 6]),
            (20, 30, [2, 4]), (31, 49, []), (50, 20, []),
        ] as [(Int64?, Int64?, [UInt64])])
    func `a time stands for the first event after it, or the last one before`(
        from: Int64?, to: Int64?, expected: [UInt64]
    ) {
        let (from, to) = (from.map { ReadBound.time(Self.time($0)) }, to.map { ReadBound.time(Self.time($0)) })
        expect(bounds(read(from: from, to: to)) == expected)
        expect(bounds(read(.category("note".category), from: from, to: to)) == expected)
        // The other way, reading begins where it would have ended.
        expect(bounds(read(from: to, to: from, .descending)) == expected)
    }

    @Test func `in one stream a time stands for a version`() {
        let stream = EventSelection.Source.stream("note-a".stream)
        expect(bounds(read(stream, from: .time(Self.time(11)))) == [2, 3])
        expect(bounds(read(stream, from: .time(Self.time(30)), to: .time(Self.time(30)))) == [2, 2])
        expect(bounds(read(stream, to: .time(Self.time(59)))) == [1, 2])
        expect(bounds(read(stream, to: .time(Self.time(9)))) == [])
        expect(bounds(read(stream, from: .time(Self.time(61)))) == [])
        expect(bounds(read(stream, from: .time(Self.time(59)), .descending)) == [1, 2])
        expect(bounds(read(stream, from: .number(2), to: .time(Self.time(999)))) == [2, 3])
        expect(bounds(read(.stream("note-z".stream), from: .time(Self.time(9)))) == [])
        let ends = [Instant.range.lowerBound, Instant.range.upperBound].map {
            ReadBound.time(Instant(milliseconds: $0))
        }
        expect(bounds(read(stream, from: ends[0], to: ends[1])) == [1, 3])
        expect(bounds(read(from: ends[0], to: ends[1])) == [1, 6])
    }

    @Test func `pushes begin at a position, a time or the next event, and never beyond it`() {
        expect(start(subscribe()) == 7)
        expect(start(subscribe(from: .position(Position(7)))) == 7)
        expect(start(subscribe(from: .time(Self.time(30)))) == 3)
        expect(start(subscribe(from: .time(Self.time(9_999)))) == 7)
        for position in [Position(8), .max] {
            let answer = subscribe(from: .position(position))
            expect(answer.wrongFields == ["from": .outOfRange])
            expect(answer.effects.count == 1)
        }
    }

    @Test func `a refused subscription takes no number`() {
        expect(subscribe(from: .position(Position(8))).code == .invalid)
        expect(subscribe().done == .subscribed(SubscriptionID(1), position: Position(6)))
    }

    @Test func `a consumer of this history is served, one of another is told`() {
        expect(subscribe(from: .position(Position(7)), log: "this").failure == nil)
        expect(bounds(read(log: "this")) == [1, 6])
        let others = [subscribe(from: .position(Position(1)), log: "other"), read(log: "other")]
        for other in others {
            expect(other.code == .diverged)
            expect(other.failure?.detail == .log(LogID(trusted: "this".bytes), position: nil))
        }
        expect(subscribe(from: .position(Position(99)), log: "other").code == .diverged)
        expect(subscribe(from: .position(Position(99)), log: "this").code == .invalid)
    }

    @Test func `a consumer of the parent is served from what both have`() {
        expect(start(subscribe(from: .position(Position(5)), log: "parent")) == 5)
        let parted = FailureDetail.log(LogID(trusted: "this".bytes), position: Position(4))
        expect(subscribe(from: .position(Position(6)), log: "parent").failure?.detail == parted)
        expect(subscribe(log: "parent").failure?.detail == parted)
        expect(subscribe(from: .time(Self.time(60)), log: "parent").failure?.detail == parted)
        expect(bounds(read(log: "parent")) == [1, 6])
        expect(bounds(read(from: .number(5), log: "parent")) == [5, 6])
        expect(read(from: .number(6), log: "parent").failure?.detail == parted)
        expect(read(.all, .descending, log: "parent").failure?.detail == parted)
        expect(bounds(read(from: .number(4), .descending, log: "parent")) == [1, 4])
        for number in [5, 6, 7, 5_000] as [UInt64] {
            expect(read(from: .number(number), .descending, log: "parent").failure?.detail == parted)
        }
    }

    /// note-a has 1 and 3 in both, and 6 here alone.
    @Test func `in one stream it is the version before that both must have`() {
        let stream = EventSelection.Source.stream("note-a".stream)
        expect(bounds(read(stream, from: .number(3), log: "parent")) == [3, 3])
        expect(read(stream, from: .number(4), log: "parent").code == .diverged)
        expect(read(stream, from: .number(9_007_199_254_740_991), log: "parent").code == .diverged)
        expect(read(.stream("note-z".stream), from: .number(2), log: "parent").code == .diverged)
        expect(read(.stream("note-z".stream), log: "parent").failure == nil)
        expect(bounds(read(stream, from: .number(2), .descending, log: "parent")) == [1, 2])
        for number in [3, 4, 100] as [UInt64] {
            expect(read(stream, from: .number(number), .descending, log: "parent").code == .diverged)
        }
    }

    @Test func `a log that cannot be read is said to be damaged, and where`() {
        world.log.failure = .corrupt("the event at position 3 is cut short", at: Position(3))
        for answer in [read(from: .time(Self.time(1))), subscribe(from: .time(Self.time(1)))] {
            expect(answer.code == .internal)
            expect(answer.failure?.detail == .damaged(Position(3)))
            expect(answer.failure?.message == "the store is damaged: the event at position 3 is cut short")
        }
    }

    @Test func `a row that was not there yet is said not to have been, at what was asked`() {
        world.ask(.postUser("u1"))
        let early = world.ask(.getting(.users, "u1", at: .position(Position(2))))
        expect(early.failure?.message == "there was no users/u1 yet at position 2")
        let earlier = world.ask(.getting(.users, "u1", at: .time("2020-01-01T00:00:00Z".instant)))
        expect(earlier.failure?.message == "there was no users/u1 yet at 2020-01-01T00:00:00.000Z")
    }
}
