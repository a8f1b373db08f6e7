import StoryCore
import StoryModels
import Testing
import TestSupport

struct ProjectorTests {
    /// A history in which everything that can happen happens.
    private func history(_ seed: UInt64) -> [Event] { EngineHarness.random(seed: seed, 500).harness.log.events }

    private func folded(_ events: [Event]) -> PlainStore {
        let store = PlainStore()
        let projector = Projector(store)
        for event in events { projector.fold(event) }
        return store
    }

    @Test func `the histories of these tests have every type of event`() {
        let events = history(1)
        let types = Set(events.map { "\($0.body)".prefix { $0 != "(" } + "." + detail($0.body) })
        #expect(types.count == 14, "\(types.sorted())")
        #expect(events.count > 250)
        #expect(events.contains { $0.key != nil })
    }

    private func detail(_ body: EventBody) -> String {
        switch body {
        case .user(let body): String("\(body)".prefix { $0 != "(" })
        case .story(let body): String("\(body)".prefix { $0 != "(" })
        case .message(let body): String("\(body)".prefix { $0 != "(" })
        case .photo(let body): String("\(body)".prefix { $0 != "(" })
        case .custom: "custom"
        }
    }

    @Test func `every table belongs to one model`() {
        let tables = Model.allCases.flatMap(\.tables)
        #expect(tables.count == Set(tables).count)
        #expect(Set(tables) == Set(Table.allCases))
    }

    @Test(arguments: [1, 2, 3])
    func `index entries and counts are those of the rows`(seed: UInt64) {
        let events = history(seed)
        let store = folded(events)
        let expected = ExpectedTables(PlainRows(events))
        let projections: [(Table, Table, [Index])] = [
            (UserProjection.rows, UserProjection.counts, UserProjection.indexes),
            (StoryProjection.rows, StoryProjection.counts, StoryProjection.indexes),
            (MessageProjection.rows, MessageProjection.counts, MessageProjection.indexes),
            (PhotoProjection.rows, PhotoProjection.counts, PhotoProjection.indexes),
        ]
        for (_, counts, indexes) in projections {
            for index in indexes {
                #expect(Set(store.keys(of: index.table)) == expected.keys[index.table, default: []], "\(index.table)")
                #expect(store.entries(of: index.table).values.allSatisfy { $0.isEmpty })
            }
            #expect(store.entries(of: counts).mapValues { CountKey.count($0) } == expected.counts[counts, default: [:]])
        }
        #expect(Set(projections.flatMap(\.2).map(\.table)) == Set(expected.keys.keys))
    }

    @Test(arguments: [1, 2, 3])
    func `rows are those of the streams, each folded alone`(seed: UInt64) {
        let events = history(seed)
        let store = folded(events)
        let rows = PlainRows(events)
        for kind in Kind.allCases {
            for row in rows.rows(kind) { #expect(Rows.row(kind, row.number, in: store) == row) }
        }
        #expect(store.entries(of: .users).count == rows.rows(.users).count)
        #expect(store.entries(of: .stories).count == rows.rows(.stories).count)
        #expect(store.entries(of: .messages).count == rows.rows(.messages).count)
        #expect(store.entries(of: .photos).count == rows.rows(.photos).count)
    }

    @Test func `these histories leave no table empty`() {
        let store = folded(history(1))
        #expect(Table.allCases.filter { store.entries(of: $0).isEmpty } == [])
    }

    @Test func `a fold that goes on with a new projector is the same`() {
        let events = history(2)
        let (whole, parts) = (folded(events), PlainStore())
        for part in stride(from: 0, to: events.count, by: 7) {
            let projector = Projector(parts)
            for event in events[part..<min(part + 7, events.count)] { projector.fold(event) }
        }
        for table in Table.allCases { #expect(whole.entries(of: table) == parts.entries(of: table), "\(table)") }
    }

    @Test func `the engine's own folding is what a replay makes`() {
        let harness = EngineHarness.random(seed: 4, 400).harness
        let replayed = folded(harness.log.events)
        for table in Table.allCases {
            #expect(replayed.entries(of: table) == harness.store.entries(of: table), "\(table)")
        }
    }

    @Test func `events that cannot follow are counted in their streams and change no row`() {
        var maker = EventMaker()
        let good = [maker.event("story-s1", .posted()), maker.event("user-u1", .signedUp())]
        let store = folded(good)
        let projector = Projector(store)
        let places = Model.streams.tables + Model.keys.tables
        let rows = Table.allCases.filter { !places.contains($0) }
        let before = rows.map { store.entries(of: $0) }
        projector.fold(maker.event("story-s1", .posted(title: "Again")))
        projector.fold(maker.event("user-u1", .signedUp(email: "other@example.org")))
        projector.fold(maker.event("story-s1", .noted("StoryFramed")))
        #expect(rows.map { store.entries(of: $0) } == before)
        #expect(StreamsModel.head(of: "story-s1".stream, in: store)?.version == Version(3))
    }

    @Test func `a stream that begins with what cannot be first has no row, and nothing breaks`() {
        var maker = EventMaker()
        let revision = PhotoExposureRevised(exposureValue: 1, exposureDuration: nil)
        let store = folded([
            maker.event("story-s1", .liked(by: "u1")), maker.event("story-s1", .story(.deleted)),
            maker.event("user-u1", .user(.revised(UserRevised(name: Text("A"), email: nil, prefecture: nil)))),
            maker.event("message-m1", .message(.seen)), maker.event("message-m1", .message(.deleted)),
            maker.event("photo-p1", .photo(.exposureRevised(revision))), maker.event("photo-p1", .photo(.deleted)),
        ])
        for table in [Table.users, .stories, .messages, .photos, .userCounts, .storyCounts, .userEmails] {
            #expect(store.entries(of: table).isEmpty)
        }
        #expect(store.entries(of: .streams).count == 4)
    }
}
