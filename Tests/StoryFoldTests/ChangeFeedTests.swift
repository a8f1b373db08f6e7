import StoryCore
import StoryWire
import TestSupport
import Testing

@testable import StoryFold
@testable import StoryStore

/// The feed of row changes beside a plain list of them.
struct ChangeFeedTests {
    /// A change as the feed was given it.
    private struct Plain: Equatable {
        let kind: String
        let number: UInt64
        let id: [UInt8]
        let position: Position
        let before: [UInt8]?
        let after: [UInt8]?
    }

    /// An observer that keeps every change.
    private final class Shadow: RowObserver {
        var changes: [Plain] = []

        func rowChanged(_ change: borrowing RowChange) {
            changes.append(
                Plain(
                    kind: change.kind.schema.name, number: change.number, id: Array(change.key),
                    position: change.position, before: change.before.map { Array($0.bytes) },
                    after: change.after.map { Array($0.bytes) }))
        }

        func rowsRolledBack() {}
    }

    private let plan = CataloguePlan(.standard)
    private let shadow = Shadow()

    private func feed(_ kept: Int) -> ChangeFeed {
        var limits = Limits()
        limits.feed = kept
        let feed = ChangeFeed(limits)
        _ = feed.add(shadow, atMost: 1)
        return feed
    }

    private func projector(_ feed: ChangeFeed) -> ModelProjector {
        ModelProjector(plan, store: MemoryModelStore(), json: JSONObjectReader(), feed: feed)
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `rows are as they were before their first change that is not durable, however commits fall`(
        seed: UInt64
    ) throws {
        var random = SplitMix64(seed: seed)
        let feed = feed(1 << 20)
        let projector = projector(feed)
        var durable = Position.zero
        for event in RandomLog(seed: seed, count: 900).events {
            try event.withRecord { try projector.fold($0) }
            if random.oneIn(7) {
                let last = event.position
                durable = Position(.random(in: durable.value...last, using: &random))
                feed.becameDurable(through: durable, isWatched: true)
            }
            if random.oneIn(5) { check(feed, after: durable) }
        }
        feed.becameDurable(through: Position(.max), isWatched: true)
        expect(feed.pendingCount == 0 && !feed.isFull)
        check(feed, after: Position(.max))
        checkDurable(feed.durable, from: 0)
        expect(feed.count == UInt64(shadow.changes.count))
    }

    @Test func `changes that are undone are forgotten, and those of durable events stay`() throws {
        let feed = feed(1 << 20)
        let projector = projector(feed)
        let events = RandomLog(seed: 7, count: 300).events
        for event in events { try event.withRecord { try projector.fold($0) } }
        let all = shadow.changes
        feed.becameDurable(through: Position(100), isWatched: true)
        feed.rolledBack(to: Position(200))
        shadow.changes = all.filter { $0.position <= Position(200) }
        check(feed, after: Position(100))
        feed.becameDurable(through: Position(300), isWatched: true)
        expect(feed.durable.end == UInt64(shadow.changes.count))
        checkDurable(feed.durable, from: 0)
    }

    @Test func `the oldest changes are dropped before others are appended, and those of the last commit are kept`()
        throws
    {
        let feed = feed(20_000)
        let projector = projector(feed)
        var begins: [UInt64] = [0]
        for event in RandomLog(seed: 11, count: 1_000).events {
            try event.withRecord { try projector.fold($0) }
            guard event.position % 100 == 0 else { continue }
            let before = feed.durable.end
            feed.becameDurable(through: Position(event.position), isWatched: true)
            expect(feed.durable.first <= before)
            begins.append(feed.durable.first)
            checkDurable(feed.durable, from: Int(feed.durable.first))
        }
        expect(begins == begins.sorted() && (begins.last ?? 0) > 100)
    }

    @Test func `nothing durable is kept while nobody follows rows`() throws {
        let feed = feed(1 << 20)
        let projector = projector(feed)
        for event in RandomLog(seed: 3, count: 200).events { try event.withRecord { try projector.fold($0) } }
        feed.becameDurable(through: Position(100), isWatched: true)
        let end = feed.durable.end
        expect(end > 0)
        feed.becameDurable(through: Position(200), isWatched: false)
        expect(feed.durable.first == end && feed.durable.end == end)
        expect(feed.pendingCount == 0 && feed.count == end)
    }

    @Test func `it is full while what waits for a commit fills its memory`() throws {
        var limits = Limits()
        limits.pendingFeed = 10_000
        let feed = ChangeFeed(limits)
        let projector = projector(feed)
        for event in RandomLog(seed: 5, count: 600).events { try event.withRecord { try projector.fold($0) } }
        expect(feed.isFull)
        feed.becameDurable(through: Position(599), isWatched: false)
        expect(!feed.isFull)
    }

    /// Compares the rows as they were with those of the plain list.
    private func check(_ feed: ChangeFeed, after durable: Position) {
        var firsts: [[UInt8]: Plain] = [:]
        for change in shadow.changes where change.position > durable {
            let name = Array(change.kind.utf8) + [0x2F] + change.id
            if firsts[name] == nil { firsts[name] = change }
        }
        for schema in plan.catalogue.kinds {
            var rows: [[UInt8]] = []
            feed.forEachPendingRow(schema) { row, change in
                rows.append(Array(row.bytes))
                expect(feed.row(before: change) == RowCopy(row))
            }
            let expected = firsts.values.filter { $0.kind == schema.name }
            expect(rows.count == expected.count { $0.before != nil })
            expect(Set(rows) == Set(expected.compactMap(\.before)))
            for first in expected {
                let found = first.id.withUnsafeBytes { feed.withRow(schema, $0) { $0.map { Array($0.bytes) } } }
                expect(found == .some(first.before))
            }
            let none = "none".utf8.withContiguousStorageIfAvailable { name in
                feed.withRow(schema, UnsafeRawBufferPointer(name)) { _ in true }
            }
            expect(none == .some(nil))
        }
    }

    /// Compares the durable changes, and the links among those of a row, with the plain list.
    private func checkDurable(_ durable: DurableChanges, from first: Int) {
        var newest: [String: UInt64] = [:]
        for number in durable.first..<durable.end {
            let (change, plain) = (durable[number], shadow.changes[Int(number)])
            let copy = Plain(
                kind: change.schema.name, number: plain.number, id: change.key, position: change.position,
                before: change.before?.bytes, after: change.after?.bytes)
            expect(copy == plain)
            let name = "\(plain.kind) \(plain.number)"
            expect(change.previous.flatMap { $0 >= durable.first ? $0 : nil } == newest[name])
            if let previous = newest[name] { expect(durable[previous].next == number) }
            newest[name] = number
        }
        for number in newest.values { expect(durable[number].next == nil) }
    }
}
