import StoryCore
import StoryEngine
@testable import StoryServer
import StoryLog
import StoryFold
import StoryStore
import StoryWire
import TestSupport
import Testing

@Suite struct SubscriptionPushesTests {
    private let bench = MemoryBench()
    private let writer = LineWriter(.standard)

    private func selection(_ random: inout SplitMix64) -> EventSelection {
        let types = random.oneIn(2) ? [] : [random.pick("Wrote", "Read").type]
        let source: EventSelection.Source =
            switch Int.random(in: 0...2, using: &random) {
            case 0: .all
            case 1: .stream(random.pick("note-1", "task-1", "none-1").stream)
            default: .category(random.pick("note", "task", "none").category)
            }
        let tags = SubscriptionPushesTests.tags(&random)
        let items = (0..<random.pick(0, 0, 1, 2, 3, 8, 32)).map { _ in item(&random) }
        return EventSelection(source: source, EventQuery(types: types, tags: tags.map(\.eventTag), items: items))
    }

    private func item(_ random: inout SplitMix64) -> EventSelection {
        let tags = SubscriptionPushesTests.tags(&random)
        let types = tags.isEmpty || random.oneIn(2) ? [random.pick("Wrote", "Read").type] : []
        let source: EventSelection.Source =
            random.pick(.all, .all, .stream("note-1".stream), .category("task".category))
        return EventSelection(source: source, EventQuery(types: types, tags: tags.map(\.eventTag)))
    }

    private static func tags(_ random: inout SplitMix64) -> [String] {
        random.pick([], [], ["x:1"], ["vip", "x:1"], ["vip", "x:1", "x:11"], ["none"])
    }

    private func expected(_ selection: EventSelection, from position: Position) -> [String] {
        func passes(_ query: EventQuery, _ event: Event) -> Bool {
            (query.types.isEmpty || query.types.contains(event.typeName))
                && query.tags.allSatisfy { event.tagTexts.contains($0.description) }
        }
        let ofItems = selection.query.items.map { item in
            Set(bench.plain(item.source).map(\.event).filter { passes(item.query, $0) }.map(\.position))
        }
        return bench.plain(selection.source).map(\.event)
            .filter { event in
                event.position >= position && passes(selection.query, event)
                    && (ofItems.isEmpty || ofItems.contains { $0.contains(event.position) })
            }
            .map { ">1 \($0.text)" }
    }

    /// Pushes to a subscription within the work of so many records; answers whether there is more.
    private func publish(
        _ subscription: inout Subscription, head: Position, to output: inout ByteWriter, until size: Int,
        _ records: Int = 2_000, index: StreamIndex? = nil
    ) throws -> Bool {
        writer.budget = records * .record
        let work = WorkPushes(
            bench.log, cursors: CursorTable(MemoryModelStore(), json: JSONObjectReader()), shares: Shares())
        let pushes = SubscriptionPushes(log: bench.log, index: index ?? bench.index, rows: bench.rows, work: work)
        return try writer.write(to: &output, until: size) { () throws(StorageError) in
            try pushes.publish(&subscription, head: head, to: writer)
        }
    }

    /// Publishes in goes of this size until there is nothing to do; answers the events and the markers.
    private func drain(
        _ subscription: inout Subscription, _ size: Int, _ units: Int
    ) throws -> (events: [String], markers: [String]) {
        var lines: [String] = []
        for _ in 0..<100_000 {
            var output = ByteWriter()
            let isMore = try publish(&subscription, head: bench.log.committed, to: &output, until: size, units)
            lines += String(decoding: output.written, as: UTF8.self).split(separator: "\n").map(String.init)
            if !isMore, output.count < size { break }
        }
        return (lines.filter { $0.contains("\"stream\"") }, lines.filter { !$0.contains("\"stream\"") })
    }

    @Test(arguments: [1, 700, 50_000], [1, 30, 100_000])
    func `what a subscription gets is the plain list, far from the head and near it`(size: Int, units: Int) throws {
        var random = SplitMix64(seed: UInt64(size))
        try bench.append(2_500, &random)
        for _ in 0..<12 {
            let selection = selection(&random)
            let from = Position(.random(in: 1...bench.log.head.value + 1, using: &random))
            var subscription = Subscription(id: SubscriptionID(1), selection: selection, from: from)
            let (caughtUp, markers) = try drain(&subscription, size, units)
            expect(caughtUp == expected(selection, from: from), "\(selection) from \(from)")
            expect(markers == [#">1 {"caughtUp":\#(bench.log.head.value)}"#], "\(selection)")
            let head = bench.log.head
            try bench.append(.random(in: 1...30, using: &random), &random)
            let (live, none) = try drain(&subscription, size, units)
            expect(live == expected(selection, from: max(from, head.next)), "\(selection)")
            expect(none.allSatisfy { $0.contains("behind") || $0.contains("caughtUp") })
        }
    }

    @Test func `without room nothing is sent, and later it is told how many events wait`() throws {
        var random = SplitMix64(seed: 3)
        var subscription = Subscription(
            id: SubscriptionID(4), selection: EventSelection(source: .all), from: Position(1))
        var output = ByteWriter()
        _ = try publish(&subscription, head: .zero, to: &output, until: 100)
        expect([UInt8](output.written) == Array(">4 {\"caughtUp\":0}\n".utf8))
        try bench.append(2, &random)
        let full = output.count
        let isMore = try publish(&subscription, head: Position(2), to: &output, until: full)
        expect(isMore)
        expect([UInt8](output.written) == Array(">4 {\"caughtUp\":0}\n".utf8))
        output.removeAll()
        let isUnfinished = try publish(&subscription, head: Position(2), to: &output, until: 10_000)
        expect(!isUnfinished)
        let lines = String(decoding: output.written, as: UTF8.self).split(separator: "\n")
        expect(lines.first == #">4 {"behind":2}"#)
        expect(lines.last == #">4 {"caughtUp":2}"#)
        expect(lines.count == 4)
    }

    @Test func `a go looks at no more records than its budget is for`() throws {
        var random = SplitMix64(seed: 4)
        try bench.append(500, &random)
        let selection = EventSelection(source: .all, EventQuery(types: ["Nothing".type]))
        var subscription = Subscription(id: SubscriptionID(1), selection: selection, from: Position(1))
        var output = ByteWriter()
        let isMore = try publish(&subscription, head: Position(500), to: &output, until: 10_000, 100)
        expect(isMore)
        expect(writer.isSpent)
        expect(subscription.next == Position(101))
        let isEmpty = output.isEmpty
        expect(isEmpty)
    }

    @Test func `lists of tags without a common event are searched in goes, each of which gets on`() throws {
        // In runs that a search skips.
        try bench.append((0..<20_000).map { ["r:\($0 / 50 % 2)"] })
        let selection = EventSelection(
            source: .all, EventQuery(tags: ["r:0".eventTag, "r:1".eventTag]))
        var subscription = Subscription(id: SubscriptionID(1), selection: selection, from: Position(1))
        var output = ByteWriter()
        var goes = 0
        while try publish(&subscription, head: Position(20_000), to: &output, until: 10_000, 2) {
            goes += 1
            expect(writer.isSpent && subscription.next.value > UInt64(goes))
            if goes > 20_000 { break }
        }
        // Fewer than the events, the last of which are looked at one by one.
        expect((10...1_100).contains(goes), "\(goes)")
        let text = String(decoding: output.written, as: UTF8.self)
        expect(text == ">1 {\"caughtUp\":20000}\n")
    }

    @Test(arguments: [1, 2, 3, 100_000])
    func `groups of tags that are far apart get on in each go, whatever is left of its budget`(units: Int) throws {
        var random = SplitMix64(seed: 6)
        let tags = ["a", "b", "c", "d", "e", "f"]
        try bench.append(
            (0..<3_000).map { _ in Array(tags.shuffled(using: &random).prefix(.random(in: 1...3, using: &random))) })
        for count in [2, 3, 8, 32] {
            let items = (0..<count).map { number in
                let three = (0..<3).map { tags[(number + $0) % tags.count].eventTag }
                return EventSelection(source: .all, EventQuery(tags: three))
            }
            let selection = EventSelection(source: .all, EventQuery(items: items))
            var subscription = Subscription(id: SubscriptionID(1), selection: selection, from: Position(1))
            let (events, markers) = try drain(&subscription, 1_000, units)
            expect(events == expected(selection, from: Position(1)) && !events.isEmpty)
            expect(markers == [#">1 {"caughtUp":3000}"#])
        }
    }

    @Test func `models that cannot be read end it where it stands, and never say that it is caught up`() throws {
        var random = SplitMix64(seed: 5)
        try bench.append(2_000, &random)
        let store = PlainStore()
        store.failure = .failed("the disk is gone")
        let selection = EventSelection(source: .stream("note-1".stream))
        var subscription = Subscription(id: SubscriptionID(1), selection: selection, from: Position(7))
        var output = ByteWriter()
        #expect(throws: StorageError.failed("the disk is gone")) {
            try publish(
                &subscription, head: Position(2_000), to: &output, until: 10_000, index: StreamIndex(store))
        }
        let isEmpty = output.isEmpty
        expect(isEmpty)
        expect(subscription.next == Position(7))
    }
}
