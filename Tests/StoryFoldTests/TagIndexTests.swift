import StoryCore
import StoryFold
import StoryStore
import StoryWire
import TestSupport
import Testing

/// The index of tags, beside the tags of the events one by one.
@Suite struct TagIndexTests {
    private let events = EngineHarness.random(seed: 82, 1_500).harness.log.events

    private func folded(_ store: any TableStore, _ events: [Event]) throws {
        let projector = ModelProjector(CataloguePlan(.standard), store: store, json: JSONObjectReader())
        for event in events { try event.withRecord { try projector.fold($0) } }
    }

    private func positions(
        _ store: any TableStore, _ tag: String, _ from: UInt64 = 1, _ through: UInt64 = Position.max.value,
        _ order: Order = .ascending
    ) throws -> [UInt64] {
        var found: [UInt64] = []
        try TagIndex(store).scan(tag.eventTag, from: Position(from), through: Position(through), order) {
            found.append($0.value)
            return true
        }
        return found
    }

    private func plain(_ tag: String, in range: ClosedRange<UInt64> = 1...Position.max.value) -> [UInt64] {
        events.filter { $0.tagTexts.contains(tag) && range.contains($0.position.value) }.map(\.position.value)
    }

    @Test func `each tag has its events, both ways and in part, and not those of a tag that it begins`() throws {
        let (memory, plainStore) = (MemoryModelStore(), PlainStore())
        try folded(memory, events)
        try folded(plainStore, events)
        let end = UInt64(events.count)
        for tag in ["x:1", "x:11", "x", "vip", "c:a", "x:", "none", "~"] {
            for range in [1...Position.max.value, 1...1, end / 3...end / 2, end...end + 9] as [ClosedRange<UInt64>] {
                let expected = plain(tag, in: range)
                for store in [memory, plainStore] as [any TableStore] {
                    expect(try positions(store, tag, range.lowerBound, range.upperBound) == expected, "\(tag)")
                    let back = try positions(store, tag, range.lowerBound, range.upperBound, .descending)
                    expect(back == expected.reversed(), "\(tag) in \(range)")
                }
            }
        }
        expect(!plain("x:1").isEmpty && plain("x:1") != plain("x:11") && plain("none").isEmpty)
        expect(try positions(memory, "x:1", 9, 3).isEmpty)
        expect(try positions(memory, "x:1", 1 << 50).isEmpty)
    }

    @Test func `the keys are the tags of the events, each once`() throws {
        let store = MemoryModelStore()
        try folded(store, events)
        let expected = events.map { Set($0.tagTexts).count }.reduce(0, +)
        let entries = store.entries(of: StreamTables.tagEvents)
        expect(entries.count == expected && entries.allSatisfy(\.value.isEmpty))
        expect(expected < events.map(\.tagTexts.count).reduce(0, +), "a tag is there twice")
    }

    @Test func `sixteen tags are found, and each once where it is there twice`() throws {
        var maker = EventMaker()
        let tags = (0..<16).map { "\($0 % 8 == 0 ? "same" : "t:\($0)")" }
        let store = MemoryModelStore()
        try folded(store, [maker.event("note-1", .noted(), tags: EventTags.text(tags))])
        for tag in Set(tags) { expect(try positions(store, tag) == [1]) }
        expect(store.entries(of: StreamTables.tagEvents).count == 15)
    }

    @Test(arguments: ["", "[", "[]", "[\"", "[\"\"]", "[\"a", "[\"a\"", "[\"a\",", "[\"a\",\"", "[\"\",\"a\"]"])
    func `an array that no writer makes is folded, too`(array: String) throws {
        var maker = EventMaker()
        let store = MemoryModelStore()
        try folded(store, [maker.event("note-1", .noted(), tags: array.isEmpty ? nil : array.view)])
        let hasTag = ["[\"a\"", "[\"a\",", "[\"a\",\"", "[\"\",\"a\"]"].contains(array)
        expect(try positions(store, "a") == (hasTag ? [1] : []))
        expect(store.entries(of: StreamTables.tagEvents).count == (hasTag ? 1 : 0))
    }

    @Test func `an event stream by stream has the digest of the fold in order`() throws {
        let store = MemoryModelStore()
        try folded(store, events)
        let sink = StreamDigests(.standard)
        let fold = StreamFold(CataloguePlan(.standard), sink: sink, json: JSONObjectReader())
        for (stream, own) in Dictionary(grouping: events, by: \.stream).sorted(by: { $0.value.count > $1.value.count })
        {
            for event in own { try event.withRecord { try fold.fold($0) } }
            try stream.bytes.withBytes { try fold.end($0) }
            sink.streamEnded()
        }
        sink.close()
        let table = StreamTables.tagEvents
        expect(sink.digest(of: table) == store.digest(of: table) && sink.digest(of: table).count > 100)
    }

    @Test func `the recency of a tag is never earlier than its last event, and seldom later`() throws {
        let half = events.count / 2
        var recency = TagRecency(after: events[half - 1].position)
        for event in events[half...] {
            event.withRecord { record in
                if let tags = record.tagList { recency.note(tags, at: record.position) }
            }
        }
        let start = UInt64(half)
        for tag in Set(events.flatMap(\.tagTexts)) {
            let last = try require(plain(tag).last)
            expect(recency.last(of: tag.eventTag).value >= max(last, start), "\(tag)")
        }
        let others = (0..<1_000).map { "other:\($0)".eventTag }
        expect(others.count { recency.last(of: $0).value == start } > 900)
    }
}
