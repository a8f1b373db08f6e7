import StoryCore
import StoryEngine
import Testing
import TestSupport

/// `TYPES` and `COUNT events…`, beside the same found by looking at every event of the log.
struct TypeCountTests {
    private let world = EngineHarness.random(seed: 71, 300).harness

    /// The events of a selection between two numbers: versions of one stream, otherwise positions.
    private func events(_ selection: EventSelection, from: UInt64? = nil, to: UInt64? = nil) -> [Event] {
        world.log.events.filter { event in
            var number = event.position.value
            switch selection.source {
            case .all: break
            case .category(let category): guard event.stream.category == category else { return false }
            case .stream(let stream):
                guard event.stream == stream else { return false }
                number = event.version.value
            }
            let query = selection.query
            guard query.types.isEmpty || query.types.contains(event.body.type) else { return false }
            guard query.tags.allSatisfy({ event.tagTexts.contains($0.description) }) else { return false }
            return number >= from ?? 1 && number <= to ?? .max
        }
    }

    private func count(
        _ selection: EventSelection, from: UInt64? = nil, to: UInt64? = nil, log: LogID? = nil
    ) -> Answer {
        let query = ReadQuery(
            selection: selection, from: from.map { .number($0) }, to: to.map { .number($0) }, limit: 1,
            order: .ascending, log: log)
        return world.ask(.countEvents(query))
    }

    private static let sources: [EventSelection.Source] = [
        .all, .category("note".category), .category("story".category), .category("none".category),
        .stream("note-a".stream), .stream("story-s1".stream), .stream("none-1".stream),
    ]

    private static let tags: [[String]] = [["x:1"], ["x:11"], ["vip", "x:1"], ["x:1", "x:11", "x", "vip"], ["none"]]

    private var types: [EventType] {
        Array(Set(world.log.events.map(\.body.type))).sorted { $0.description < $1.description }
    }

    // MARK: COUNT

    @Test(arguments: sources)
    func `a count is the number of events that a read would give`(source: EventSelection.Source) {
        let end = world.log.head.value
        let ranges: [(UInt64?, UInt64?)] = [
            (nil, nil), (1, end), (2, nil), (nil, 2), (end / 3, end / 2), (end, nil), (end + 1, nil), (9, 3),
            (nil, end + 9),
        ]
        let byType = [[], [types[0]], Array(types.prefix(3)), [types[0], types[0]], ["Nothing".type], types].map {
            EventQuery(types: $0)
        }
        let byTags = Self.tags.flatMap { tags in
            [[], ["Noted".type]].map { EventQuery(types: $0, tags: tags.map(\.eventTag)) }
        }
        for query in byType + byTags {
            let selection = EventSelection(source: source, query)
            for (from, to) in ranges {
                let expected = events(selection, from: from, to: to).count
                for records in [1, 3, 1_000_000] {
                    world.stepRecords = records
                    let answer = count(selection, from: from, to: to)
                    expect(
                        answer.done == .counted(expected, position: world.log.head),
                        "\(source) \(query) \(from as Any) \(to as Any)")
                    expect(answer.basis == world.log.head)
                }
            }
        }
    }

    @Test func `what the index knows includes events that are not durable, and what is read does not`() throws {
        let durable = Position(world.log.head.value / 2)
        world.durable = durable
        let selection = EventSelection(source: .all, EventQuery(types: [types[0]]))
        let first = try require(events(selection).first?.position)
        let known = count(selection)
        expect(known.done == .counted(events(selection).count, position: world.log.head))
        expect(known.basis == world.log.head)
        // A range that the type has events in and outside of.
        let read = count(selection, from: first.value + 1)
        let expected = events(selection, from: first.value + 1, to: durable.value).count
        expect(read.done == .counted(expected, position: durable) && read.basis == durable)
        expect(first < durable && expected < events(selection).count - 1)
    }

    @Test func `a whole log, category or stream is counted in one step, and so is a type of the first two`() {
        for selection in [
            EventSelection(source: .all), EventSelection(source: .category("note".category)),
            EventSelection(source: .stream("note-a".stream)), EventSelection(source: .all, EventQuery(types: types)),
            EventSelection(source: .category("story".category), EventQuery(types: types)),
            EventSelection(source: .stream("note-a".stream), EventQuery(types: ["Nothing".type])),
        ] {
            let query = ReadQuery(selection: selection, from: nil, to: nil, limit: 1, order: .ascending)
            let answer = world.begin(.countEvents(query))
            expect(answer?.step(1) == false, "\(selection)")
        }
    }

    @Test func `another history has no count here`() {
        expect(count(EventSelection(source: .all), log: LogID(trusted: "other".bytes)).code == .diverged)
        expect(count(EventSelection(source: .all), log: LogID(trusted: "this".bytes)).count == world.log.events.count)
    }

    @Test func `a category of more types than are added is counted by its positions`() {
        let world = EngineHarness()
        for number in 0..<1_100 { world.ask(.append("many-\(number % 3)", "T\(number)")) }
        world.ask(.append("few-1", "A"))
        let query = ReadQuery(
            selection: EventSelection(source: .category("many".category)), from: nil, to: nil, limit: 1,
            order: .ascending)
        world.stepRecords = 2
        expect(world.ask(.countEvents(query)).count == 1_100)
    }

    // MARK: TYPES

    /// The lines of `TYPES`, page after page.
    private func pages(_ category: String?, limit: Int) -> [[Member]] {
        var lines: [[Member]] = []
        var after: EventType?
        while true {
            let answer = world.ask(.types(TypesQuery(category: category?.category, after: after, limit: limit)))
            let page = answer.replies.compactMap { if case .line(let members) = $0 { members } else { nil } }
            lines += page
            guard case .members(let end)? = answer.done, end.first == Member("count", .count(UInt64(page.count))),
                end.last == Member("position", .count(world.log.head.value)), answer.basis == world.log.head
            else { return [] }
            guard case .text(let next)? = end.first(where: { $0.name == "next" })?.value else { return lines }
            after = next.type
        }
    }

    private func expected(_ category: String?) -> [[Member]] {
        let found = world.log.events.filter { category == nil || $0.stream.category == category?.category }
        let byType = Dictionary(grouping: found, by: \.body.type)
        return byType.sorted { Bytes.precedes($0.key.bytes, $1.key.bytes) }.map { type, events in
            [
                Member("type", .text(type.description)), Member("count", .count(UInt64(events.count))),
                Member("first", .count(events.map(\.position.value).min() ?? 0)),
                Member("last", .count(events.map(\.position.value).max() ?? 0)),
            ]
        }
    }

    @Test(arguments: [1, 2, 7, 1_000])
    func `each type has its number and its first and last event, in the order of the names`(limit: Int) {
        for category in [nil, "note", "log", "story", "user"] as [String?] {
            expect(pages(category, limit: limit) == expected(category))
            expect(!expected(category).isEmpty)
        }
        expect(pages("stor", limit: limit).isEmpty)
    }

    @Test func `a restart changes nothing`() {
        let before = pages(nil, limit: 1_000)
        world.restart()
        expect(pages(nil, limit: 1_000) == before && !before.isEmpty)
    }
}
