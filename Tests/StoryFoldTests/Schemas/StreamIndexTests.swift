import StoryCore
import StoryStorage
import StoryWire
import Testing
import TestSupport

@testable import StoryFold
@testable import StoryStore

struct StreamIndexTests {
    private let log = RandomLog(seed: 31, count: 3_000).events
    private let store = MemoryModelStore()
    private let index: StreamIndex

    init() throws {
        let projector = ModelProjector(CataloguePlan(.standard), store: store, json: JSONObjectReader())
        for event in log { try event.withRecord { try projector.fold($0) } }
        index = StreamIndex(store)
    }

    @Test func `each stream's head and versions are its events`() throws {
        let streams = Dictionary(grouping: log, by: \.stream)
        for (name, events) in streams {
            let head = try require(try name.bytes.withBytes { try index.head(of: $0) })
            expect(head.version.value == UInt64(events.count))
            expect(head.position.value == events.last?.position)
            for (from, through) in [(1, events.count), (2, 3), (events.count, events.count + 5), (0, 1)] {
                let expected = events.filter { Int($0.version) >= from && Int($0.version) <= through }.map(\.position)
                let (lower, upper) = (Version(UInt64(from)), Version(UInt64(through)))
                expect(try versions(head, lower, upper, .ascending) == expected)
                expect(try versions(head, lower, upper, .descending) == expected.reversed())
            }
            for event in events {
                expect(try index.position(of: Version(event.version), in: head)?.value == event.position)
            }
        }
        expect(try index.lastNumber() == StreamNumber(UInt64(streams.count)))
        expect(try "note-none".bytes.withBytes { try index.head(of: $0) } == nil)
    }

    private func versions(_ head: StreamHead, _ from: Version, _ through: Version, _ order: Order) throws -> [UInt64] {
        var found: [UInt64] = []
        try index.scanVersions(of: head, from: from, through: through, order) {
            found.append($1.value)
            return true
        }
        return found
    }

    @Test func `each category has its events, both ways and in part`() throws {
        for (category, events) in Dictionary(grouping: log, by: { $0.stream.stream.category }) {
            let number = try require(try index.number(of: category))
            for (from, through) in [(UInt64(1), UInt64(9_000)), (700, 1_900), (1_900, 700)] {
                let expected = events.map(\.position).filter { $0 >= from && $0 <= through }
                for order in [Order.ascending, .descending] {
                    var found: [UInt64] = []
                    try index.scanCategory(number, from: Position(from), through: Position(through), order) {
                        found.append($0.value)
                        return true
                    }
                    expect(found == (order == .ascending ? expected : expected.reversed()))
                }
            }
        }
    }

    @Test func `many categories, by turns, have their events each`() throws {
        let index = StreamIndex(MemoryModelStore())
        let (categories, rounds) = (100, 70)
        for round in 0..<rounds {
            for category in 0..<categories {
                let head = StreamHead(
                    number: StreamNumber(UInt64(category + 1)), version: Version(UInt64(round + 1)),
                    position: Position(UInt64(round * categories + category + 1)))
                try "c\(category)-1".bytes.withBytes { try index.fold(head, $0, after: index.head(of: $0)) }
            }
        }
        for category in 0..<categories {
            let number = try require(try index.number(of: "c\(category)".category))
            var found: [UInt64] = []
            try index.scanCategory(number, from: Position(1), through: Position(10_000), .ascending) {
                found.append($0.value)
                return true
            }
            expect(found == (0..<rounds).map { UInt64($0 * categories + category + 1) })
        }
    }

    @Test func `a key names the events of its first write`() throws {
        var expected: [String: (first: UInt64, count: UInt64)] = [:]
        for event in log {
            guard let key = event.key else { continue }
            if let known = expected[key] {
                if event.position == known.first + known.count { expected[key] = (known.first, known.count + 1) }
            } else {
                expected[key] = (event.position, 1)
            }
        }
        let keys = KeyIndex(store)
        for (key, entry) in expected {
            let found = try key.bytes.withBytes { try keys.entry(of: $0) }
            expect(found == KeyIndex.KeyedEvents(first: Position(entry.first), count: entry.count))
        }
        expect(expected.values.contains { $0.count > 1 })
    }

    @Test func `a scan ends where the visitor has had enough`() throws {
        let number = try require(try index.number(of: "message".category))
        var visits = 0
        try index.scanCategory(number, from: Position(1), through: Position(10_000), .ascending) { _ in
            visits += 1
            return visits < 3
        }
        expect(visits == 3)
    }

    @Test func `the first version at a position or behind it is found`() throws {
        for (name, events) in Dictionary(grouping: log, by: \.stream) {
            let head = try require(try index.head(of: name.stream))
            for position in [1, events[0].position, events[events.count / 2].position + 1, 3_001] as [UInt64] {
                let expected = events.first { $0.position >= position }?.version ?? UInt64(events.count + 1)
                expect(try index.version(atOrAfter: Position(position), in: head) == Version(expected))
            }
        }
    }
}
