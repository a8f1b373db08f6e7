import StoryCore
import StoryEngine
import StoryFold
import TestSupport
import Testing

/// `READ` by tags, beside a filter of all events.
struct TagReadTests {
    private let world = EngineHarness.random(seed: 73, 400).harness

    private static let tags: [[String]] = [
        ["x:1"], ["x:11"], ["x"], ["none"], ["x:1", "vip"], ["vip", "x:1", "c:a"], ["x:1", "none"],
        ["x:1", "x:11", "x", "vip"],
    ]
    private static let sources: [EventSelection.Source] = [
        .all, .category("note".category), .category("none".category), .category("story".category),
        .stream("note-a".stream), .stream("story-s1".stream), .stream("none-1".stream),
    ]

    private func selection(
        _ source: EventSelection.Source, _ tags: [String], types: [String] = []
    ) -> EventSelection {
        EventSelection(source: source, EventQuery(types: types.map(\.type), tags: tags.map(\.eventTag)))
    }

    /// The numbers of the events in the order of a read, with their positions.
    private func plain(_ selection: EventSelection, _ order: Order) -> [(number: UInt64, position: UInt64)] {
        let found = world.log.events.filter { event in
            guard event.position <= world.durable ?? world.log.head else { return false }
            let hasTags = selection.query.tags.allSatisfy { event.tagTexts.contains($0.description) }
            guard hasTags else { return false }
            guard selection.query.types.isEmpty || selection.query.types.contains(event.body.type) else { return false }
            return switch selection.source {
            case .all: true
            case .category(let category): event.stream.category == category
            case .stream(let stream): event.stream == stream
            }
        }
        let isStream = if case .stream = selection.source { true } else { false }
        let numbered = found.map { (isStream ? $0.version.value : $0.position.value, $0.position.value) }
        return order == .ascending ? numbered : numbered.reversed()
    }

    /// Reads a page within so much work a step.
    private func page(
        _ selection: EventSelection, from: UInt64?, to: UInt64?, _ order: Order, limit: Int, _ work: Work
    ) throws -> (positions: [UInt64], next: UInt64?) {
        let query = ReadQuery(
            selection: selection, from: from.map { .number($0) }, to: to.map { .number($0) }, limit: limit,
            order: order)
        let plan = try require(world.ask(.read(query)).plan)
        let answer = ReadAnswer(plan, log: world.log, index: StreamIndex(world.store))
        let lines = PositionLines()
        for _ in 0..<100_000 {
            lines.workLeft = work
            guard case .ended(.done(.read(let count, let next, _)), _) = try answer.step(into: lines) else {
                expect(lines.isSpent, "a step that does nothing goes on for ever")
                continue
            }
            expect(count == lines.positions.count)
            return (lines.positions, next)
        }
        throw Endless()
    }

    private struct Endless: Error {}

    private func expectPages(
        _ selection: EventSelection, from: UInt64?, to: UInt64?, _ order: Order, limit: Int, _ work: Work
    ) throws {
        let expected = plain(selection, order).filter { event in
            let (first, last) = order == .ascending ? (from, to) : (to, from)
            return event.number >= first ?? 0 && event.number <= last ?? .max
        }
        var found: [UInt64] = []
        var next = from
        repeat {
            let page = try page(selection, from: next, to: to, order, limit: limit, work)
            found += page.positions
            next = page.next
            guard found.count <= expected.count else { break }
        } while next != nil
        expect(found == expected.map(\.position), "\(selection) \(from as Any) \(to as Any) \(order) limit \(limit)")
    }

    @Test(arguments: sources, tags)
    func `pages of every size are the filtered log, both ways`(source: EventSelection.Source, tags: [String]) throws {
        let end = world.log.head.value
        for types in [[], ["Noted"], ["Nothing"]] {
            let selection = selection(source, tags, types: types)
            for order in [Order.ascending, .descending] {
                for limit in [1, 2, 7, 10_000] {
                    try expectPages(selection, from: nil, to: nil, order, limit: limit, .unlimited)
                }
                for (low, high) in [(end / 3, end / 2), (1, 5), (2, end), (9, 3), (end + 1, end + 9)] {
                    let (from, to) = order == .ascending ? (low, high) : (high, low)
                    try expectPages(selection, from: from, to: to, order, limit: 3, 40 * .record)
                    try expectPages(selection, from: from, to: nil, order, limit: 10_000, .search)
                }
            }
        }
    }

    @Test func `what is not durable is not read`() throws {
        world.durable = Position(world.log.head.value / 2)
        for source in Self.sources {
            for order in [Order.ascending, .descending] {
                let selection = selection(source, ["x:1"])
                try expectPages(selection, from: nil, to: nil, order, limit: 10_000, .unlimited)
            }
        }
        expect(!plain(selection(.all, ["x:1"]), .ascending).isEmpty)
    }

    /// Two tags that no event has together: each step does a part of the search and no more, whichever order.
    @Test(arguments: [Order.ascending, .descending])
    func `lists without a common event are searched in steps`(order: Order) throws {
        var maker = EventMaker()
        // In runs, so that a search skips many events: 1–100 have one tag, 101–200 the other, and so on.
        let events = (0..<20_000).map {
            maker.event("note-\($0 % 3)", .noted(), tags: EventTags.text(["r:\($0 / 100 % 2)"]))
        }
        let world = EngineHarness(events)
        let query = ReadQuery(
            selection: selection(.all, ["r:0", "r:1"]), from: nil, to: nil, limit: 9, order: order)
        let plan = try require(world.ask(.read(query)).plan)
        let answer = ReadAnswer(plan, log: world.log, index: StreamIndex(world.store))
        let lines = PositionLines()
        let before = world.store.lookCount
        var steps = 0
        while true {
            lines.workLeft = 50 * .search
            let looks = world.store.lookCount
            let step = try answer.step(into: lines)
            steps += 1
            // Two searches at most more than the budget, with what each reads ahead.
            expect(lines.workLeft > -100 * .record && world.store.lookCount - looks < 2_000)
            if case .ended(let reply, _) = step {
                expect(reply == .done(.read(count: 0, next: nil, position: Position(20_000))))
                break
            }
            expect(lines.isSpent)
        }
        // A search skips a run: there are 200 of them, and none is walked through.
        expect(steps > 3 && world.store.lookCount - before < 4_000, "\(steps), \(world.store.lookCount - before)")
    }

    @Test func `lists that alternate are walked through, without a search for each`() throws {
        var maker = EventMaker()
        let events = (0..<4_000).map { maker.event("note-1", .noted(), tags: EventTags.text(["r:\($0 % 2)", "all"])) }
        let world = EngineHarness(events)
        let both = selection(.all, ["r:0", "r:1"])
        let query = ReadQuery(selection: both, from: nil, to: nil, limit: 9, order: .ascending)
        let answer = ReadAnswer(
            try require(world.ask(.read(query)).plan), log: world.log, index: StreamIndex(world.store))
        let lines = PositionLines()
        lines.workLeft = .unlimited
        guard case .ended = try answer.step(into: lines) else { throw Endless() }
        let spent = Work.unlimited - lines.workLeft
        expect(spent < 100 * .search + 4_200 * .key, "\(spent)")
        world.stepRecords = 1
        let all = ReadQuery(
            selection: selection(.all, ["r:1", "all"]), from: nil, to: nil, limit: 1, order: .ascending)
        expect(world.ask(.countEvents(all)).count == 2_000)
    }
}

/// Lines of which only the positions of events are kept.
private final class PositionLines: AnswerLines {
    var positions: [UInt64] = []
    var workLeft = Work.zero

    var hasRoom: Bool { true }
    var count: Int { positions.count }
    func spend(_ work: Work) { workLeft -= work }
    func row(_ reply: Reply) {}
    func row(_ row: RowView) {}
    func event(_ record: EventRecord) { positions.append(record.position.value) }
    func reserve(_ bytes: Int) {}
}
