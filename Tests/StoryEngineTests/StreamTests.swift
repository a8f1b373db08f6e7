import StoryCore
import StoryFold
import StoryEngine
import Testing
import TestSupport

struct ReadPlanTests {
    private let world = EngineHarness()

    /// note-a has five events of the log's eight.
    init() {
        world.ask(.postUser("u1"))
        world.ask(.append("note-a", "A", "B"))
        world.ask(.append("note-b", "A"))
        world.ask(.append("note-a", "A", "B", "C"))
        world.ask(.append("log-a", "A"))
    }

    private func plan(
        _ source: EventSelection.Source, from: UInt64? = nil, to: UInt64? = nil, _ order: Order = .ascending
    ) throws -> ReadPlan {
        let selection = EventSelection(source: source, EventQuery(types: ["A".type]))
        let query = ReadQuery(
            selection: selection, from: from.map { .number($0) }, to: to.map { .number($0) }, limit: 7, order: order)
        let answer = world.ask(.read(query), tag: Tag("t".bytes))
        let plan = try require(answer.plan)
        expect(answer.effects == [.read(Tag("t".bytes), plan)])
        expect(plan.limit == 7 && plan.order == order && plan.selection == selection && plan.head == Position(8))
        return plan
    }

    @Test func `names become numbers`() throws {
        expect(try plan(.all).source == .all)
        let head = try require(try StreamIndex(world.store).head(of: "note-a".stream))
        expect(head.number == StreamNumber(2))
        expect(try plan(.stream("note-a".stream)).source == .stream(head))
        expect(try plan(.category("note".category)).source == .category(2))
        expect(try plan(.category("user".category)).source == .category(1))
    }

    @Test func `what does not exist has no events`() throws {
        for source in [EventSelection.Source.stream("note-c".stream), .category("not".category)] {
            for order in [Order.ascending, .descending] {
                let plan = try plan(source, order)
                expect(plan.source == .nothing)
                expect(plan.lower > plan.upper)
            }
        }
    }

    @Test(
        arguments: [
            (nil, nil, Order.ascending, 1, 8), (nil, nil, .descending, 1, 8),
            (3, nil, .ascending, 3, 8), (3, nil, .descending, 1, 3),
            (nil, 3, .ascending, 1, 3), (nil, 3, .descending, 3, 8),
            (3, 5, .ascending, 3, 5), (5, 3, .descending, 3, 5), (4, 4, .ascending, 4, 4),
            (8, nil, .ascending, 8, 8), (1, nil, .descending, 1, 1), (nil, 99, .ascending, 1, 8),
            (99, nil, .descending, 1, 8), (2, 99, .ascending, 2, 8), (99, 2, .descending, 2, 8),
            (0, 0, .ascending, 0, 0), (.max, .max, .descending, .max, 8),
        ] as [(UInt64?, UInt64?, Order, UInt64, UInt64)])
    func `from is where reading begins and to where it ends, in either order`(
        from: UInt64?, to: UInt64?, order: Order, lower: UInt64, upper: UInt64
    ) throws {
        let plan = try plan(.all, from: from, to: to, order)
        expect(plan.lower == lower)
        expect(plan.upper == upper)
    }

    @Test(
        arguments: [
            (5, 3, Order.ascending), (9, nil, .ascending), (.max, nil, .ascending), (nil, 0, .ascending),
            (3, 5, .descending), (0, nil, .descending), (nil, 9, .descending), (nil, .max, .descending),
        ] as [(UInt64?, UInt64?, Order)])
    func `a reading that begins behind its end is empty`(from: UInt64?, to: UInt64?, order: Order) throws {
        let plan = try plan(.all, from: from, to: to, order)
        expect(plan.lower > plan.upper)
    }

    @Test func `one stream is read by versions, a category by positions`() throws {
        let stream = try plan(.stream("note-a".stream))
        expect(stream.lower == 1 && stream.upper == 5)
        expect(try plan(.stream("note-a".stream), from: 4).upper == 5)
        expect(try plan(.stream("note-a".stream), from: 8, .descending).upper == 5)
        expect(try plan(.category("note".category)).upper == 8)
    }
}

struct StreamsTests {
    private let world = EngineHarness.random(seed: 61, 600).harness

    private func pages(_ source: EventSelection.Source, limit: Int) -> [StreamSummary] {
        var found: [StreamSummary] = []
        var after: StreamName?
        while true {
            let answer = world.ask(.streams(StreamsQuery(source: source, after: after, limit: limit)))
            guard case .streams(let count, let next, let position)? = answer.done, count == answer.streams.count,
                count <= limit, position == world.log.head
            else { return [] }
            found += answer.streams
            guard let next else { return found }
            after = next
        }
    }

    /// The streams by the order of their names' bytes, from the log.
    private func expected(_ category: String?) -> [StreamSummary] {
        let streams = Dictionary(grouping: world.log.events, by: \.stream)
        let names = streams.keys.filter { category == nil || $0.category == category?.category }
            .sorted { Bytes.precedes($0.bytes, $1.bytes) }
        return names.compactMap { name in
            streams[name]?.last.map { StreamSummary(name: name, version: $0.version, position: $0.position) }
        }
    }

    @Test(arguments: [1, 2, 3, 7, 1_000])
    func `every stream is listed once, in the order of the names`(limit: Int) {
        expect(pages(.all, limit: limit) == expected(nil))
        for category in ["user", "story", "note", "log"] {
            expect(pages(.category(category.category), limit: limit) == expected(category))
            expect(!expected(category).isEmpty)
        }
        expect(pages(.category("stor".category), limit: limit).isEmpty)
    }

    @Test func `one stream is found by its name`() {
        expect(pages(.stream("note-a".stream), limit: 5) == expected("note").filter { $0.name == "note-a".stream })
        expect(pages(.stream("note-z".stream), limit: 5).isEmpty)
    }

    @Test func `a page that just holds them has no next`() {
        let count = expected("note").count
        let answer = world.ask(.streams(StreamsQuery(source: .category("note".category), after: nil, limit: count)))
        expect(answer.done == .streams(count: count, next: nil, position: world.log.head))
    }

    @Test func `a page may begin after a name that is not there, or in another category`() {
        func first(_ source: EventSelection.Source, after: String) -> StreamName? {
            world.ask(.streams(StreamsQuery(source: source, after: after.stream, limit: 1))).streams.first?.name
        }
        expect(first(.all, after: "note-a.") == "note-b".stream)
        expect(first(.category("note".category), after: "log-zzz") == "note-a".stream)
        expect(first(.category("note".category), after: "story-1") == nil)
        expect(first(.category("note".category), after: "note-b") == nil)
    }
}

struct AppendTests {
    private let world = EngineHarness()

    @Test func `an array is appended whole, with each event's own meta, and answered by the last`() {
        let proposals = [
            EventProposal(type: "A".type, data: "{\"a\" : 1}".view, meta: "{\"m\":1}".view),
            EventProposal(type: "B".type, data: "[]".view, meta: nil),
        ]
        world.ask(.append("note-a", "A"))
        let answer = world.ask(.append("note-a".stream, proposals, .with(key: "k", version: 1)))
        expect(answer.events.map(\.position) == [Position(2), Position(3)])
        expect(answer.events.map(\.version) == [Version(2), Version(3)])
        expect(answer.events.map(\.meta) == ["{\"m\":1}".view, nil])
        expect(answer.events.allSatisfy { $0.key == "k".key && $0.by == 1_000 })
        expect(answer.events.first?.body == .custom("A".type, data: "{\"a\" : 1}".view))
        let receipt = Receipt(
            id: nil, stream: "note-a".stream, version: Version(3), position: Position(3), time: world.now)
        expect(answer.receipt == receipt)
    }

    @Test func `a version that does not match appends nothing of it`() {
        let proposals = [EventProposal(type: "A".type, data: "1".view, meta: nil)]
        expect(world.ask(.append("note-a".stream, proposals, .with(version: 1))).code == .conflict)
        expect(world.ask(.append("note-a".stream, proposals, .with(version: 0))).receipt?.version == Version(1))
        let late = world.ask(.append("note-a".stream, proposals, .with(version: 0)))
        expect(late.failure?.detail == .versions(expected: .zero, actual: Version(1)))
        expect(world.log.head == Position(1))
    }

    @Test func `an array of nothing is refused and leaves no gap`() {
        expect(world.ask(.append("note-a".stream, [], .with())).code == .invalid)
        world.ask(.append("note-b", "A"))
        expect(world.log.events.first?.streamNumber == StreamNumber(1))
        expect(world.log.events.first?.position == Position(1))
    }
}
