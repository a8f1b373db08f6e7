import StoryCore
import StoryStorage
import StoryWire
import Testing
import TestSupport

@testable import StoryFold
@testable import StoryStore

/// The fold by schemas beside the slow and obvious one.
struct SchemaFoldTests {
    private let plan = CataloguePlan(.standard)
    private let json = JSONObjectReader()

    private func folded(_ events: [LoggedEvent]) throws -> MemoryModelStore {
        let store = MemoryModelStore()
        let projector = ModelProjector(plan, store: store, json: json)
        for event in events { try event.withRecord { try projector.fold($0) } }
        return store
    }

    private func entries(_ store: MemoryModelStore, _ table: ModelTable) -> [[UInt8]: [UInt8]] {
        var entries: [[UInt8]: [UInt8]] = [:]
        store.walk(table.number, .all, .ascending, isProving: false) { key, value in
            entries[Array(key)] = Array(value)
            return true
        }
        return entries
    }

    @Test(arguments: 1...12) func `every table is what the rows say`(_ seed: UInt64) throws {
        let log = RandomLog(seed: seed, count: 1_500).events
        let store = try folded(log)
        let decoder = PlainDecoder()
        let expected = SchemaTables(log.map { $0.decoded(decoder) })
        for kind in plan.catalogue.kinds {
            for table in kind.tables where table != kind.rows {
                expect(entries(store, table) == expected.entries[table.name] ?? [:], "\(table.name)")
            }
        }
    }

    @Test(arguments: 1...12) func `a row's JSON is what the plain encoder writes`(_ seed: UInt64) throws {
        let log = RandomLog(seed: seed, count: 1_500).events
        let store = try folded(log)
        let decoder = PlainDecoder()
        let encoder = RowJSONEncoder(plan.catalogue)
        let rows = PlainRows(log.map { $0.decoded(decoder) })
        for (schema, kind) in zip(plan.catalogue.kinds, [Kind.users, .stories, .messages, .photos]) {
            expect(schema.name == kind.name)
            expect(entries(store, schema.rows).count == rows.rows(kind).count)
            for row in rows.rows(kind) {
                var expected: [UInt8] = []
                var found = ByteWriter()
                PlainRowEncoder.append(row, to: &expected)
                let lookup = RowLookup(store)
                let isThere = try lookup.row(schema, row.id) { encoder.append($0, to: &found) }
                expect(isThere)
                expect(String(decoding: found.written, as: UTF8.self) == String(decoding: expected, as: UTF8.self))
                var again = ByteWriter()
                _ = try lookup.row(schema, number: row.number.value) {
                    encoder.append($0, to: &again)
                }
                expect([UInt8](again.written) == expected)
            }
        }
    }

    @Test(arguments: 20...27) func `digests are the same in order and stream by stream`(_ seed: UInt64) throws {
        let log = RandomLog(seed: seed, count: 2_000, hasDistinctEmails: true).events
        let store = try folded(log)
        let digests = try foldedByStream(log)
        expect(digests.hasDistinctTexts)
        for table in plan.catalogue.tables {
            expect(digests.digest(of: table) == store.digest(of: table), "\(table.name)")
        }
    }

    private func foldedByStream(_ log: [LoggedEvent]) throws -> StreamDigests {
        let digests = StreamDigests(plan.catalogue)
        let streams = Dictionary(grouping: log, by: \.stream)
        let fold = StreamFold(plan, sink: digests, json: json)
        for (name, events) in streams {
            for event in events { try event.withRecord { try fold.fold($0) } }
            try name.bytes.withBytes { try fold.end($0) }
            digests.streamEnded()
        }
        var names: [[UInt8]] = []
        let categories = CategoryFold(digests, categories: 16)
        for event in log {
            let name = event.stream.stream.category.bytes
            if !names.contains(name) { names.append(name) }
            try categories.fold(event.position, category: (names.firstIndex(of: name) ?? 0) + 1)
        }
        try categories.end(names: names, streams: UInt64(streams.count))
        let keyStore = MemoryModelStore()
        var keys = KeyIndex(keyStore)
        for event in log {
            try event.withRecord { record in
                guard let key = record.keyBytes else { return }
                try keys.fold(key, at: record.position, after: keys.entry(of: key))
            }
        }
        digests.add(keyStore, [StreamTables.keys])
        let (typeStore, merged) = (MemoryModelStore(), MemoryModelStore())
        var types = TypeIndex(typeStore)
        var all = TypeIndex(merged)
        for event in log { try event.withRecord { try types.foldCategory($0) } }
        try all.merge(typeStore)
        digests.add(merged, [StreamTables.types])
        digests.close()
        return digests
    }

    @Test func `an event that is folded twice is refused`() throws {
        let log = RandomLog(seed: 3, count: 200).events
        let store = MemoryModelStore()
        let projector = ModelProjector(plan, store: store, json: json)
        for event in log { try event.withRecord { try projector.fold($0) } }
        for event in log {
            #expect(throws: StorageError.self) { try event.withRecord { try projector.fold($0) } }
            let anew = ModelProjector(plan, store: store, json: json)
            #expect(throws: StorageError.self) { try event.withRecord { try anew.fold($0) } }
        }
    }

    @Test func `an empty address is folded and is nobody's`() throws {
        let data = #"{"name":"A","email":"","prefecture":1}"#
        let time = Instant(milliseconds: 0)
        let event = LoggedEvent(1, 1, 1, time, stream: "user-a", type: "UserSignedUp", key: nil, data: data)
        let store = try folded([event])
        let users = try require(plan.catalogue.kinds.first)
        expect(entries(store, users.rows).count == 1)
        expect(try require(users.unique).table.number == 21)
        expect(entries(store, try require(users.unique).table).isEmpty)
    }

    @Test func `changes of rows are published with what was and what is`() throws {
        let log = RandomLog(seed: 9, count: 600).events
        let changes = ChangeFeed()
        let projector = ModelProjector(plan, store: MemoryModelStore(), json: json, feed: changes)
        let shadow = Shadow()
        _ = changes.add(shadow, atMost: 1)
        for event in log { try event.withRecord { try projector.fold($0) } }
        let decoder = PlainDecoder()
        let rows = PlainRows(log.map { $0.decoded(decoder) })
        let expected = [Kind.users, .stories, .messages, .photos].map { rows.rows($0).count }.reduce(0, +)
        expect(shadow.rows.count == expected)
        expect(shadow.isConsistent)
    }
}

/// Keeps rows by what it is told of their changes.
private final class Shadow: RowObserver {
    var rows: [UInt64: [UInt8]] = [:]
    var isConsistent = true

    func rowChanged(_ change: borrowing RowChange) {
        if rows[change.number] != change.before.map({ Array($0.bytes) }) { isConsistent = false }
        rows[change.number] = change.after.map { Array($0.bytes) }
    }

    func rowsRolledBack() {}
}
