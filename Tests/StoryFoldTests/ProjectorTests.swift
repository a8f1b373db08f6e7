import StoryCore
import StoryFold
import StoryStorage
import StoryWire
import Testing
import TestSupport

struct ProjectorTests {
    private let tables = Catalogue.standard.tables

    private func projector(_ store: PlainStore) -> ModelProjector {
        ModelProjector(CataloguePlan(.standard), store: store, json: JSONObjectReader())
    }

    /// A history in which everything that can happen happens.
    private func history(_ seed: UInt64) -> [Event] { EngineHarness.random(seed: seed, 500).harness.log.events }

    private func folded(_ events: [Event]) throws -> PlainStore {
        let store = PlainStore()
        let projector = projector(store)
        for event in events { try event.withRecord { try projector.fold($0) } }
        return store
    }

    @Test func `the histories of these tests have every type of event`() {
        let events = history(1)
        let types = Set(events.map { "\($0.body)".prefix { $0 != "(" } + "." + detail($0.body) })
        expect(types.count == 14, "\(types.sorted())")
        expect(events.count > 250)
        expect(events.contains { $0.key != nil })
    }

    private func detail(_ body: EventBody) -> String {
        switch body {
        case .user(let body): String("\(body)".prefix { $0 != "(" })
        case .story(let body): String("\(body)".prefix { $0 != "(" })
        case .message(let body): String("\(body)".prefix { $0 != "(" })
        case .photo(let body): String("\(body)".prefix { $0 != "(" })
        case .custom: "custom"
        case .model: "model"
        case .erasure: "erasure"
        case .cursor: "cursor"
        }
    }

    @Test func `every table belongs to one model`() {
        let tables = Catalogue.standard.models.flatMap { Catalogue.standard.tables(of: $0) }
        expect(tables.count == Set(tables).count)
        expect(Set(tables) == Set(self.tables))
    }

    @Test(arguments: [1, 2, 3])
    func `rows are those of the streams, each folded alone`(seed: UInt64) throws {
        let events = history(seed)
        let store = try folded(events)
        let rows = PlainRows(events)
        let lookup = RowLookup(store)
        for kind in Kind.allCases {
            expect(store.entries(of: kind.schema.rows).count == rows.rows(kind).count)
            for row in rows.rows(kind) {
                var found: Row?
                _ = try lookup.row(kind.schema, row.id) { found = Row($0) }
                expect(found == row)
            }
        }
    }

    @Test func `these histories leave no table empty`() throws {
        let store = try folded(history(1))
        // Declared models have streams of their own, which no history of the kinds has.
        expect(
            tables.filter { store.entries(of: $0).isEmpty } == [
                StreamTables.definitions, StreamTables.cursors, StreamTables.parkedEvents,
            ])
    }

    @Test func `a fold that goes on with a new projector is the same`() throws {
        let events = history(2)
        let (whole, parts) = (try folded(events), PlainStore())
        for part in stride(from: 0, to: events.count, by: 7) {
            let projector = projector(parts)
            for event in events[part..<min(part + 7, events.count)] { try event.withRecord { try projector.fold($0) } }
        }
        for table in tables { expect(whole.entries(of: table) == parts.entries(of: table), "\(table.name)") }
    }

    @Test func `the engine's own folding is what a replay makes`() throws {
        let harness = EngineHarness.random(seed: 4, 400).harness
        let replayed = try folded(harness.log.events)
        for table in tables {
            expect(replayed.entries(of: table) == harness.store.entries(of: table), "\(table.name)")
        }
    }

    @Test func `events that cannot follow are counted in their streams and change no row`() throws {
        var maker = EventMaker()
        let good = [maker.event("story-s1", .posted()), maker.event("user-u1", .signedUp())]
        let store = try folded(good)
        let projector = projector(store)
        let rows = tables.filter { !StreamTables.all.contains($0) }
        let before = rows.map { store.entries(of: $0) }
        try maker.event("story-s1", .posted(title: "Again")).withRecord { try projector.fold($0) }
        try maker.event("user-u1", .signedUp(email: "other@example.org")).withRecord { try projector.fold($0) }
        try maker.event("story-s1", .noted("StoryFramed")).withRecord { try projector.fold($0) }
        expect(rows.map { store.entries(of: $0) } == before)
        expect(try StreamIndex(store).head(of: "story-s1".stream)?.version == Version(3))
    }

    @Test func `a stream that begins with what cannot be first has no row, and nothing breaks`() throws {
        var maker = EventMaker()
        let revision = PhotoExposureRevised(exposureValue: 1, exposureDuration: nil)
        let store = try folded([
            maker.event("story-s1", .liked(by: "u1")), maker.event("story-s1", .story(.deleted)),
            maker.event("user-u1", .user(.revised(UserRevised(name: Text("A"), email: nil, prefecture: nil)))),
            maker.event("message-m1", .message(.seen)), maker.event("message-m1", .message(.deleted)),
            maker.event("photo-p1", .photo(.exposureRevised(revision))), maker.event("photo-p1", .photo(.deleted)),
        ])
        for table in tables where !StreamTables.all.contains(table) && table != .likes {
            expect(store.entries(of: table).isEmpty, "\(table.name)")
        }
        expect(store.entries(of: StreamTables.streams).count == 4)
    }
}
