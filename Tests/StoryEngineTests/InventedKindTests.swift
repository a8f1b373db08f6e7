import StoryCore
import StoryEngine
import Testing
import TestSupport

/// A kind that only a schema tells of is folded, found, filtered, sorted and counted like the store's own.
struct InventedKindTests {
    private let coins: KindSchema
    private let world: EngineHarness

    init() throws {
        let catalogue = try Catalogue.invented()
        coins = catalogue.kinds[0]
        var maker = EventMaker()
        var events: [Event] = []
        for number in 1...6 {
            let data = """
                {"mint":"m\(number % 2)","heir":"m\(number % 3)","motto":"Ex \(9 - number)","year":\(number - 3),\
                "weight":\(number).5,"ratio":"1/\(number)","metal":"\(number > 4 ? "gold" : "silver")",\
                "date":"2026-01-0\(number)T00:00:00Z"}
                """
            events.append(maker.event("coin-c\(number)", EventBody.noted("CoinStruck", data)))
        }
        events.append(maker.event("coin-c2", EventBody.noted("CoinWorn")))
        world = EngineHarness(events, catalogue: catalogue)
    }

    private func condition(_ name: String, _ value: FilterValue) throws -> Condition {
        Condition(try require(name.bytes.withBytes { coins.filter(named: $0) }), value)
    }

    private func ids(_ conditions: [Condition], sort: Int = 0, limit: Int = 50, after: [UInt8]? = nil) -> [String] {
        let query = ListQuery(
            kind: coins.kind, conditions: conditions, sort: sort, order: .ascending, limit: limit, after: after)
        return world.ask(.list(query)).effects.compactMap {
            if case .row(_, let row, _) = $0 { row.withView { String(decoding: $0.key, as: UTF8.self) } } else { nil }
        }
    }

    @Test func `every filter leaves the rows that it is of, and the count is theirs`() throws {
        let day = "2026-01-03T00:00:00Z".instant
        let expected: [(String, FilterValue, [String])] = [
            ("mint", .name("m1".bytes), ["c1", "c3", "c5"]), ("either", .pair("m0".bytes, "m1".bytes), ["c3", "c4"]),
            ("motto", .folded("ex 5".bytes), ["c4"]), ("year", .integer(-2), ["c1"]), ("anyYear", .integer(3), ["c6"]),
            ("weight", .number(2.5), ["c2"]), ("ratio", .fraction(1 | 5 << 32), ["c5"]),
            ("metal", .choice(0), ["c5", "c6"]), ("worn", .flag(true), ["c2"]),
            ("mintFresh", .flag(true), ["c1", "c3", "c4", "c5", "c6"]), ("mintFresh", .flag(false), ["c2"]),
            ("struckAtExactlyThisMoment", .date(day), ["c3"]), ("since", .date(day), ["c3", "c4", "c5", "c6"]),
            ("until", .date(day), ["c1", "c2"]),
        ]
        for (name, value, rows) in expected {
            let condition = try condition(name, value)
            expect(ids([condition]) == rows, "\(name)")
            expect(world.ask(.count(coins.kind, [condition])).count == rows.count, "\(name)")
        }
        let both = [try condition("mint", .name("m0".bytes)), try condition("metal", .choice(1))]
        expect(ids(both) == ["c2", "c4"])
    }

    @Test func `each sort has its order, and a page goes on where it ended`() throws {
        expect(ids([]) == ["c1", "c2", "c3", "c4", "c5", "c6"])
        expect(ids([], sort: 1) == ["c6", "c5", "c4", "c3", "c2", "c1"])
        let query = ListQuery(kind: coins.kind, conditions: [], sort: 1, order: .ascending, limit: 4, after: nil)
        let next = try require(world.ask(.list(query)).next)
        expect(ids([], sort: 1, after: next) == ["c2", "c1"])
        let titles = world.ask(.sorts(coins.kind)).replies.dropLast()
        expect(titles == coins.sorts.map { Reply.sort($0, .descending) }[...])
    }

    @Test func `a catalogue that is replaced answers for its own kinds, and what was read before is unknown`() throws {
        let held = try require(
            world.begin(
                .list(
                    ListQuery(
                        kind: coins.kind, conditions: [], sort: 0, order: .ascending, limit: 9, after: nil))))
        let counting = try require(
            world.begin(.count(coins.kind, [try condition("until", .date("2026-01-03T00:00:00Z".instant))])))
        let list = world.ask(
            .subscribe(
                SubscribeQuery(
                    EventSelection(source: .category(coins.categoryName)), subject: .list(coins.kind, []))))
        let events = world.ask(.subscribe(SubscribeQuery(EventSelection(source: .all))))
        expect(list.done != nil && events.done != nil && world.session.rowSubscriptionCount == 1)
        let next = try world.engine.catalogue.replaced(removing: [coins.kind], adding: [.coins])
        world.replaceCatalogue(by: next)
        for answer in [held, counting] {
            answer.step(1_000)
            expect(answer.end?.reply == .failed(.removedKind))
        }
        let requests: [RequestAction] = [
            .get(coins.kind, "c1".id, at: nil), .get(coins.kind, "c1".id, at: .position(Position(1))),
            .count(coins.kind, []), .sorts(coins.kind), .delete(coins.kind, "c1".id, WriteOptions()),
            .subscribe(SubscribeQuery(EventSelection(source: .all), subject: .row(coins.kind, "c1".id))),
        ]
        for request in requests { expect(world.ask(request).failure == .removedKind, "\(request.verb)") }
        let output = world.output()
        world.session.holdSubscriptions(outside: next, published: output.published)
        let nobody = try next.replaced(removing: next.kinds.suffix(1).map(\.kind))
        world.session.settleSubscriptions(of: [coins.kind: coins], in: nobody, at: output.durable, into: output)
        expect(output.effects == [.push(SubscriptionID(1), .end(.undefined, resume: Position(8)))])
        expect(world.session.subscriptionCount == 1 && world.session.rowSubscriptionCount == 0)
        let kind = try require(next.kinds.last?.kind)
        expect(world.ask(.count(kind, [])).count == 6, "the same tables, in this test")
    }

    @Test func `a kind without forms takes no write`() {
        expect(world.ask(.post(coins.kind, [], WriteOptions())).code == .unknown)
        expect(world.ask(.delete(coins.kind, "c1".id, WriteOptions())).code == .unknown)
        expect(world.ask(.delete(coins.kind, "c9".id, WriteOptions())).code == .notFound)
    }
}
