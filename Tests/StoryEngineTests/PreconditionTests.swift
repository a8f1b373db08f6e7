import StoryCore
import StoryEngine
import StoryFold
import TestSupport
import Testing

/// `unless=`: writes that hold only if no event of a query came after a position, beside a search of all events.
struct PreconditionTests {
    private static func item(
        _ tags: [String] = [], types: [String] = [], _ source: EventSelection.Source = .all
    ) -> EventSelection {
        EventSelection(source: source, EventQuery(types: types.map(\.type), tags: tags.map(\.eventTag)))
    }

    private static func precondition(_ items: [EventSelection], after: UInt64 = 0) -> EventPrecondition {
        EventPrecondition(EventQuery(items: items), after: Position(after))
    }

    /// Appends an event with these preconditions.
    private static func append(
        _ list: [EventPrecondition], to stream: String = "note-new", tags: [String] = [], version: UInt64? = nil,
        key: String? = nil, log: String? = nil
    ) -> RequestAction {
        let event = EventProposal(
            type: "Made".type, data: "1".view, meta: nil, tags: EventTags.text(tags.map(\.bytes)))
        let options = WriteOptions(
            key: key?.key, version: version.map(Version.init),
            unless: EventPreconditions(list, isArray: list.count > 1),
            log: log.map { LogID(trusted: $0.bytes) })
        return .append(stream.stream, [event], options)
    }

    /// The first event of a query after a position, by looking at each.
    private static func first(_ precondition: EventPrecondition, in events: [Event]) -> Position? {
        events.first { event in
            event.position > precondition.after && event.withRecord { precondition.query.matches($0) }
        }?.position
    }

    private static let items: [[EventSelection]] = [
        [item(["x:1"])], [item(["x:1", "vip"])], [item(["none"])], [item(["x:1", "none"])], [item(types: ["Noted"])],
        [item(types: ["Nothing"])], [item(types: ["Nothing", "StoryPosted"], .category("story".category))],
        [item([], .stream("note-a".stream))], [item([], .category("note".category))],
        [item([], .stream("none-1".stream))],
        [item(["x:1"], types: ["Noted"], .stream("note-a".stream))], [item(["none"]), item(["vip"])],
        [item(types: ["Nothing"]), item(["c:a"]), item([], .category("none".category)), item(["x:11", "x"])],
        [item(types: ["Noted"], .category("story".category))],
    ]

    @Test(arguments: items)
    func `a write holds exactly where no event matches, and the conflict names the lowest`(
        items: [EventSelection]
    ) throws {
        let world = EngineHarness.random(seed: 73, 900).harness
        let events = world.log.events
        var random = SplitMix64(seed: 5)
        for round in 0..<40 {
            let head = world.log.head.value
            let after = round < 3 ? [0, head, head - 1][round] : UInt64.random(in: 0...head, using: &random)
            let precondition = Self.precondition(items, after: after)
            let answer = world.ask(Self.append([precondition]))
            let expected = Self.first(precondition, in: world.log.events.filter { $0.position.value <= head })
            guard let expected else {
                expect(answer.receipt?.position == Position(head + 1), "\(after): \(answer)")
                continue
            }
            let event = try require(events.first { $0.position == expected } ?? world.log.events.last)
            let match = event.withRecord { EventMatch($0) }
            expect(answer.failure?.detail == .match(0, after: Position(after), match), "\(after): \(answer)")
            expect(world.log.head.value == head)
        }
    }

    @Test func `tags that came are found, also after a rollback; others are not searched for`() throws {
        let world = EngineHarness.random(seed: 73, 300).harness
        var random = SplitMix64(seed: 9)
        let tags = ["a", "b", "c", "d", "vip"]
        var (held, unsearched) = (0, 0)
        for round in 0..<600 {
            if round % 100 == 99 {
                world.engine.logRolledBack()
                try world.engine.modelsFolded()
            }
            let head = world.log.head.value
            let items = [[tags.randomElement(using: &random) ?? ""], [tags.randomElement(using: &random) ?? "", "b"]]
            let precondition = Self.precondition(
                items.map { Self.item($0) }, after: UInt64.random(in: head - 6...head, using: &random))
            let expected = Self.first(precondition, in: world.log.events)
            let event = expected.flatMap { position in world.log.events.first { $0.position == position } }
            _ = world.engine.takeLooked()
            let answer = world.ask(Self.append([precondition], tags: [tags.randomElement(using: &random) ?? ""]))
            if let match = event?.withRecord({ EventMatch($0) }) {
                expect(answer.failure?.detail == .match(0, after: precondition.after, match), "\(answer)")
            } else {
                expect(answer.receipt?.position == Position(head + 1), "\(answer)")
                held += 1
                if world.engine.takeLooked() == .zero { unsearched += 1 }
            }
        }
        expect(held > 100 && unsearched > held / 2, "\(unsearched) of \(held)")
    }

    @Test func `a conflict rests on the event that it names`() {
        let world = EngineHarness.random(seed: 73, 300).harness
        let durable = world.log.head
        world.ask(.append("note-late", "Late"))
        world.durable = durable
        let late = Self.precondition([Self.item([], .stream("note-late".stream))])
        expect(world.ask(Self.append([late])).basis == durable.next)
        let early = world.ask(Self.append([Self.precondition([Self.item(["x:1"])])]))
        expect(early.basis.map { $0 < durable } == true, "\(early)")
    }

    @Test func `the first that fails in the order of the request is told, with its number and its own position`() {
        let world = EngineHarness.random(seed: 73, 300).harness
        let (holds, fails) = (Self.precondition([Self.item(["none"])]), Self.precondition([Self.item(["x:1"])]))
        for (list, number) in [([holds, fails], 1), ([fails, holds], 0), ([holds, holds, fails, fails], 2)] {
            guard case .match(let index, let after, let match)? = world.ask(Self.append(list)).failure?.detail else {
                Issue.record("no conflict of \(list)")
                continue
            }
            expect(index == number && after == .zero)
            expect(match.position == Self.first(fails, in: world.log.events))
        }
        expect(world.ask(Self.append([holds, holds])).receipt != nil)
    }

    @Test func `a version that does not match comes first, then queries; a key that is known comes before both`() {
        let world = EngineHarness.random(seed: 73, 300).harness
        let fails = Self.precondition([Self.item(["x:1"])])
        guard case .versions? = world.ask(Self.append([fails], version: 7)).failure?.detail else {
            Issue.record("the version is checked first")
            return
        }
        let first = world.ask(Self.append([Self.precondition([Self.item(["new"])])], tags: ["new"], key: "k"))
        expect(first.receipt?.repeated == false)
        let again = world.ask(Self.append([Self.precondition([Self.item(["new"])])], tags: ["new"], key: "k"))
        expect(again.receipt?.repeated == true)
        expect(world.ask(Self.append([Self.precondition([Self.item(["new"])])], tags: ["new"])).code == .conflict)
    }

    @Test func `a position after the log's end is wrong, in each place`() {
        let world = EngineHarness.random(seed: 73, 30).harness
        let head = world.log.head.value
        let (good, wrong) = (
            Self.precondition([Self.item(["none"])], after: head),
            Self.precondition([Self.item(["none"])], after: head + 1)
        )
        expect(world.ask(Self.append([wrong])).wrongFields == ["unless.after": .outOfRange])
        expect(
            world.ask(Self.append([good, wrong, wrong])).wrongFields
                == ["unless[1].after": .outOfRange, "unless[2].after": .outOfRange])
        expect(world.ask(Self.append([good])).receipt != nil)
    }

    @Test func `another history is diverged, before anything is compared`() {
        let world = EngineHarness.random(seed: 73, 30).harness
        let holds = Self.precondition([Self.item(["none"])])
        expect(world.ask(Self.append([holds], version: 9, log: "other")).code == .diverged)
        expect(world.ask(Self.append([holds], log: "this")).receipt != nil)
    }

    @Test func `a write of content and one that changes nothing are checked as well`() {
        let world = EngineHarness.random(seed: 73, 300).harness
        let fails = EventPreconditions([Self.precondition([Self.item(types: ["Noted"])])], isArray: false)
        let holds = EventPreconditions([Self.precondition([Self.item(["none"])])], isArray: false)
        let stories = PlainRows(world.log.events).rows(.stories)
        guard let story = stories.first?.id, let user = PlainRows(world.log.events).rows(.users).first?.id else {
            Issue.record("there is no story, or no user")
            return
        }
        for like in 0..<2 {
            // The second one changes nothing.
            func ask(_ unless: EventPreconditions) -> Answer {
                world.ask(
                    .like(
                        .stories, story, [JSONMember("user", .string(user.description))], WriteOptions(unless: unless)))
            }
            expect(ask(fails).code == .conflict, "\(like)")
            expect(ask(holds).failure == nil, "\(like)")
        }
    }

    @Test func `several streams with checks are whole or absent, and a checked stream needs no event`() {
        let world = EngineHarness()
        world.ask(.append("a-1", "A"))
        let event = EventProposal(type: "B".type, data: "{}".view, meta: nil)
        func ask(_ proposals: StreamProposal..., key: String? = nil) -> Answer {
            world.ask(.appendTogether(proposals, WriteOptions(key: key?.key)))
        }
        let (old, missing) = ("a-1".stream, "c-9".stream)
        let done = ask(
            StreamProposal(checking: old, Version(1)), StreamProposal(checking: missing, .zero),
            StreamProposal(stream: "b-1".stream, event: event), key: "k")
        expect(done.receipts.map(\.stream) == ["b-1".stream])
        expect(done.events.map(\.streamNumber.value) == [2])
        expect(ask(StreamProposal(stream: "b-1".stream, event: event), key: "k").receipts.first?.repeated == true)
        let failed = ask(
            StreamProposal(stream: "b-1".stream, event: event), StreamProposal(checking: old, Version(7)),
            StreamProposal(checking: missing, Version(3)))
        expect(failed.failure?.detail == .versions(expected: Version(7), actual: Version(1), stream: old))
        // A check sees the events ahead of it in the request.
        expect(
            ask(StreamProposal(stream: old, event: event), StreamProposal(checking: old, Version(2))).failure == nil)
        expect(ask(StreamProposal(checking: old, Version(2))).wrongFields == ["events": .empty])
        expect(world.ask(.append("c-9", "A")).events.first?.streamNumber == StreamNumber(3))
    }

    /// Two tags that no event has together, and types that come late: each step does a part of the look.
    @Test func `a long look goes on in steps, sees what comes meanwhile, and ends`() {
        var maker = EventMaker()
        let events = (0..<20_000).map {
            maker.event("note-\($0 % 3)", .noted(), tags: EventTags.text(["r:\($0 % 2)"]))
        }
        let world = EngineHarness(events)
        world.stepRecords = 100
        let both = Self.precondition([Self.item(["r:0", "r:1"])])
        expect(world.ask(Self.append([both])).receipt?.position == Position(20_001))
        let steps = world.lookLines.steps
        expect(steps > 5, "\(steps)")
        // Half of it is durable; the rest is looked at by the write itself.
        world.durable = Position(10_000)
        expect(world.ask(Self.append([both, both])).receipt?.position == Position(20_002))
        world.durable = nil
        world.ask(
            .append(
                "note-1".stream,
                [
                    EventProposal(
                        type: "Made".type, data: "1".view, meta: nil, tags: EventTags.text(["r:0", "r:1"]))
                ], WriteOptions()))
        let answer = world.ask(Self.append([both]))
        guard case .match(0, after: .zero, let match)? = answer.failure?.detail else {
            Issue.record("no conflict: \(answer)")
            return
        }
        expect(match.position == Position(20_003))
        // The next look is another one.
        expect(world.ask(Self.append([Self.precondition([Self.item(["none"])])])).receipt != nil)
    }

    @Test func `types that have no event after the position cost a look-up, wherever it is`() {
        var maker = EventMaker()
        let events =
            [maker.event("note-1", .custom("Rare".type, data: "1".view))]
            + (0..<20_000).map { _ in maker.event("note-1", .noted()) }
        let world = EngineHarness(events)
        world.stepRecords = 1
        let steps = world.lookLines.steps
        let rare = Self.precondition([Self.item(types: ["Rare", "Never"])], after: 1)
        let looks = world.store.lookCount
        expect(world.ask(Self.append([rare])).receipt != nil)
        expect(world.lookLines.steps == steps && world.store.lookCount - looks < 20)
        let early = Self.precondition([Self.item(types: ["Rare"])])
        guard case .match(0, after: .zero, let match)? = world.ask(Self.append([early])).failure?.detail else {
            Issue.record("no conflict")
            return
        }
        expect(match.position == Position(1) && match.type == "Rare".type)
    }
}
