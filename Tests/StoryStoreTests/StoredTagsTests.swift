import StoryCore
import StoryFold
import StoryStore
import TestSupport
import Testing

/// Lists of tags of every length near the sizes of segments and blocks: in memory, stored, and both.
@Suite struct StoredTagsTests {
    private static let lengths = [1, 63, 64, 65, 127, 128, 129, 4_095, 4_096, 4_097]

    private func put(_ store: any TableStore, _ tags: [String], at position: UInt64) throws {
        var maker = EventMaker()
        let event = maker.event("note-1", .noted(), tags: EventTags.text(tags))
        let moved = Event(
            position: Position(position), stream: event.stream, streamNumber: StreamNumber(1),
            version: Version(position),
            time: event.time, by: 0, key: nil, tags: event.tags, meta: nil, body: event.body)
        var fold = TagIndex.Fold(store)
        try moved.withRecord { try fold.fold($0) }
    }

    private func expectList(_ store: any TableStore, _ tag: String, of count: Int, step: UInt64) throws {
        let expected = (0..<UInt64(count)).map { 1 + $0 * step }
        for order in [Order.ascending, .descending] {
            for (first, last) in [(1, expected[count - 1]), (2, expected[count - 1] - 1), (expected[count / 2], .max)] {
                var found: [UInt64] = []
                let through = Position(min(last, Position.max.value))
                try TagIndex(store).scan(tag.eventTag, from: Position(first), through: through, order) {
                    found.append($0.value)
                    return true
                }
                let inside = expected.filter { $0 >= first && $0 <= last }
                expect(found == (order == .ascending ? inside : inside.reversed()), "\(count) of \(tag)")
            }
        }
    }

    /// - Parameter stored: how many of each list a checkpoint has; the rest is in memory.
    private func expectLists(_ isStored: (_ index: Int, _ count: Int) -> Bool) throws {
        let bench = try ModelBench()
        defer { bench.store.close() }
        for length in Self.lengths {
            // A neighbour on each side, which no scan may run into.
            for tag in ["t:\(length)", "t:\(length)0", "s:\(length)~"] {
                for index in 0..<length where isStored(index, length) {
                    try put(bench.store, [tag], at: 1 + UInt64(index) * 3)
                }
            }
        }
        try bench.checkpoint(at: 1)
        for length in Self.lengths {
            for tag in ["t:\(length)", "t:\(length)0", "s:\(length)~"] {
                for index in 0..<length where !isStored(index, length) {
                    try put(bench.store, [tag], at: 1 + UInt64(index) * 3)
                }
            }
        }
        for length in Self.lengths { try expectList(bench.store, "t:\(length)", of: length, step: 3) }
    }

    @Test func `in memory`() throws { try expectLists { _, _ in false } }
    @Test func `stored`() throws { try expectLists { _, _ in true } }
    @Test func `the first half stored`() throws { try expectLists { index, count in index < count / 2 } }
    @Test func `every other one stored`() throws { try expectLists { index, _ in index % 2 == 0 } }
    @Test func `all but the last stored`() throws { try expectLists { index, count in index < count - 1 } }
}
