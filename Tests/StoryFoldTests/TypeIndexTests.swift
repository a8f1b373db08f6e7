import StoryCore
import StoryFold
import StoryStore
import StoryWire
import TestSupport
import Testing

/// The index of event types, beside tallies that are made of the events one by one.
@Suite struct TypeIndexTests {
    private struct Plain: Equatable {
        var count: UInt64 = 0
        var first: UInt64 = 0
        var last: UInt64 = 0
    }

    private let events = EngineHarness.random(seed: 81, 400).harness.log.events

    private func folded(_ store: any TableStore, _ events: [Event]) throws {
        let projector = ModelProjector(CataloguePlan(.standard), store: store, json: JSONObjectReader())
        for event in events { try event.withRecord { try projector.fold($0) } }
    }

    private func plain(_ events: [Event], _ category: CategoryName?) -> [EventType: Plain] {
        var tallies: [EventType: Plain] = [:]
        for event in events where category == nil || event.stream.category == category {
            var tally = tallies[event.body.type] ?? Plain(first: event.position.value)
            tally.count += 1
            tally.last = event.position.value
            tallies[event.body.type] = tally
        }
        return tallies
    }

    private func expectTallies(_ store: any TableStore, of events: [Event]) throws {
        let index = TypeIndex(store)
        let categories = Set(events.map(\.stream.category))
        for category in [nil] + categories.map(Optional.some) {
            var found: [EventType: Plain] = [:]
            var order: [EventType] = []
            try index.walk(category) { type, tally in
                found[type] = Plain(count: tally.count, first: tally.first.value, last: tally.last.value)
                order.append(type)
                return true
            }
            expect(found == plain(events, category))
            expect(order == order.sorted { Bytes.precedes($0.bytes, $1.bytes) })
            for type in order {
                let tally = try index.tally(of: type, in: category)
                expect(tally.map { Plain(count: $0.count, first: $0.first.value, last: $0.last.value) } == found[type])
            }
        }
        expect(try index.tally(of: "Nothing".type, in: nil) == nil)
    }

    @Test func `the tallies are those of the events, changed in place or not`() throws {
        let (inPlace, plain) = (MemoryModelStore(), PlainStore())
        try folded(inPlace, events)
        try folded(plain, events)
        try expectTallies(inPlace, of: events)
        try expectTallies(plain, of: events)
    }

    @Test func `tallies of categories that are merged are those of a fold in order`() throws {
        let whole = MemoryModelStore()
        try folded(whole, events)
        let parts = [MemoryModelStore(), MemoryModelStore(), MemoryModelStore()]
        for (number, part) in parts.enumerated() {
            var index = TypeIndex(part)
            // Streams one after the other, so that positions go back and forth.
            let own = events.filter { Int($0.streamNumber.value) % parts.count == number }
            for event in own.sorted(by: { $0.streamNumber.value > $1.streamNumber.value }) {
                try event.withRecord { try index.foldCategory($0) }
            }
        }
        let merged = MemoryModelStore()
        var index = TypeIndex(merged)
        for part in parts { try index.merge(part) }
        expect(merged.digest(of: StreamTables.types) == whole.digest(of: StreamTables.types))
        expect(merged.entries(of: StreamTables.types).count == whole.entries(of: StreamTables.types).count)
    }

    @Test func `a category is not one that begins like it`() throws {
        let store = MemoryModelStore()
        let names = [("a-1", "B"), ("a.b-1", "C"), (".-1", "D"), ("a-b-c", "B"), ("b-1", "a-B")]
        let made = names.enumerated().map { index, name in
            Event(
                position: Position(UInt64(index) + 1), stream: name.0.stream,
                streamNumber: StreamNumber(UInt64(index) + 1),
                version: Version(1), time: Instant(milliseconds: 1_800_000_000_000), by: 0, key: nil, meta: nil,
                body: .custom(name.1.type, data: ByteView(Array("1".utf8))))
        }
        try folded(store, made)
        try expectTallies(store, of: made)
    }
}
