import StoryCore
import StoryModels
import Testing
import TestSupport

/// The models beside the rows, each against a dictionary kept the obvious way.
struct ModelTests {
    private static let history = EngineHarness.random(seed: 5, 700).harness.log.events
    private let events = ModelTests.history
    private let store = PlainStore()

    init() {
        let projector = Projector(store)
        for event in events { projector.fold(event) }
    }

    @Test func `each address leads to its user, and no other does`() {
        var owners: [[UInt8]: StreamNumber] = [:]
        for user in PlainRows(events).rows(.users).compactMap(\.user) {
            owners[EmailAddress.folded(user.email.bytes)] = user.number
        }
        for (email, number) in owners { #expect(EmailsModel.owner(of: email, in: store) == number) }
        #expect(Set(store.keys(of: .userEmails)) == Set(owners.keys))
        let isRevised = events.contains {
            if case .user(.revised(let event)) = $0.body { event.email != nil } else { false }
        }
        #expect(isRevised)
        #expect(EmailsModel.owner(of: "nobody@example.org".bytes, in: store) == nil)
    }

    @Test func `who likes what is the last word of each`() {
        var likes: [StreamNumber: Set<Identifier>] = [:]
        for event in events {
            if case .story(.liked(let user)) = event.body { likes[event.streamNumber, default: []].insert(user) }
            if case .story(.unliked(let user)) = event.body { likes[event.streamNumber, default: []].remove(user) }
        }
        for (story, users) in likes {
            for user in PlainRows(events).rows(.users) {
                #expect(LikesModel.isLiked(story, by: user.id, in: store) == users.contains(user.id))
            }
        }
        #expect(store.entries(of: .likes).count == likes.values.map(\.count).reduce(0, +))
        for story in PlainRows(events).rows(.stories).compactMap(\.story) {
            #expect(Int(story.likes) == likes[story.number, default: []].count)
        }
        #expect(likes.values.contains { $0.count > 1 })
    }

    @Test func `each stream's head is its last event`() {
        let streams = Dictionary(grouping: events, by: \.stream)
        for (name, events) in streams {
            let expected = events.last.map {
                StreamsModel.Head(number: $0.streamNumber, version: $0.version, position: $0.position)
            }
            #expect(StreamsModel.head(of: name, in: store) == expected)
            #expect(StreamsModel.number(of: name, in: store) == expected?.number)
        }
        #expect(store.entries(of: .streams).count == streams.count)
        #expect(StreamsModel.greatestNumber(in: store) == StreamNumber(UInt64(streams.count)))
        #expect(StreamsModel.head(of: "note-none".stream, in: store) == nil)
        #expect(StreamsModel.greatestNumber(in: PlainStore()) == StreamNumber(0))
    }

    @Test func `each version of a stream is found, both ways and in part`() {
        for (_, events) in Dictionary(grouping: events, by: \.stream) {
            guard let number = events.first?.streamNumber else { continue }
            let last = UInt64(events.count)
            for event in events {
                #expect(StreamsModel.position(of: event.version, in: number, store) == event.position)
            }
            #expect(StreamsModel.position(of: Version(last + 1), in: number, store) == nil)
            for (from, through) in [(1, last), (2, last), (1, 1), (last, last), (2, 1), (0, last + 5)] {
                var found: [Position] = []
                var reversed: [Position] = []
                let (from, through) = (Version(from), Version(through))
                StreamsModel.scanVersions(of: number, from: from, through: through, .ascending, in: store) {
                    found.append($1)
                    return true
                }
                StreamsModel.scanVersions(of: number, from: from, through: through, .descending, in: store) {
                    reversed.append($1)
                    return true
                }
                #expect(found == events.filter { $0.version >= from && $0.version <= through }.map(\.position))
                #expect(reversed == found.reversed())
            }
        }
    }

    @Test func `each category has its events, both ways and in part`() throws {
        let head = events.last?.position ?? .zero
        for (category, events) in Dictionary(grouping: events, by: \.stream.category) {
            let number = try #require(StreamsModel.number(of: category, in: store))
            let middle = events[events.count / 2].position
            for (from, through) in [
                (Position(1), head), (middle, head), (Position(1), middle), (middle, middle.previous),
            ] {
                let expected = events.map(\.position).filter { $0 >= from && $0 <= through }
                #expect(positions(number, from, through, .ascending) == expected)
                #expect(positions(number, from, through, .descending) == expected.reversed())
            }
        }
        #expect(StreamsModel.number(of: "nothing".category, in: store) == nil)
    }

    private func positions(_ category: UInt64, _ from: Position, _ through: Position, _ order: Order) -> [Position] {
        var found: [Position] = []
        StreamsModel.scanCategory(category, from: from, through: through, order, in: store) {
            found.append($0)
            return true
        }
        return found
    }

    @Test func `a scan ends where the visitor has had enough`() throws {
        let number = try #require(StreamsModel.number(of: "message".category, in: store))
        var visits = 0
        StreamsModel.scanCategory(number, from: Position(1), through: Position(10_000), .ascending, in: store) { _ in
            visits += 1
            return visits < 3
        }
        #expect(visits == 3)
    }

    @Test func `each key names the events of its write`() {
        let keyed = Dictionary(grouping: events.filter { $0.key != nil }, by: \.key)
        for (key, events) in keyed {
            guard let key else { continue }
            #expect(KeysModel.entry(of: key, in: store)?.positions == events.map(\.position))
        }
        #expect(store.entries(of: .keys).count == keyed.count)
        #expect(keyed.values.contains { $0.count > 1 })
        #expect(KeysModel.entry(of: "unused".key, in: store) == nil)
    }

    @Test func `a key that comes again later stays with its first write`() {
        var maker = EventMaker()
        let store = PlainStore()
        let projector = Projector(store)
        projector.fold(maker.event("note-a", .noted(), key: "k"))
        projector.fold(maker.event("note-a", .noted(), key: "k"))
        projector.fold(maker.event("note-a", .noted()))
        projector.fold(maker.event("note-a", .noted(), key: "k"))
        #expect(KeysModel.entry(of: "k".key, in: store)?.positions == [Position(1), Position(2)])
    }
}

struct EventSelectionTests {
    private func matches(
        _ source: EventSelection.Source, _ stream: String, _ type: String, types: [String] = []
    ) -> Bool {
        let text = Array((stream + type).utf8)
        return text.withUnsafeBytes { bytes in
            let record = EventRecord(
                position: Position(1), streamNumber: StreamNumber(1), version: Version(1),
                time: Instant(milliseconds: 0),
                by: 0, json: bytes, stream: 0..<stream.utf8.count, type: stream.utf8.count..<text.count, key: nil,
                meta: nil, data: text.count..<text.count)
            return EventSelection(source: source, types: types.map(\.type)).matches(record)
        }
    }

    @Test func `all takes every stream`() { #expect(matches(.all, "story-1", "StoryPosted")) }

    @Test func `a stream takes itself alone`() {
        #expect(matches(.stream("story-1".stream), "story-1", "StoryPosted"))
        #expect(!matches(.stream("story-1".stream), "story-12", "StoryPosted"))
        #expect(!matches(.stream("story-12".stream), "story-1", "StoryPosted"))
    }

    @Test func `a category takes its own streams, not those of one that begins alike`() {
        #expect(matches(.category("note".category), "note-a-b", "Noted"))
        #expect(!matches(.category("note".category), "notes-a", "Noted"))
        #expect(!matches(.category("notes".category), "note-a", "Noted"))
    }

    @Test func `types narrow any of them`() {
        #expect(matches(.all, "note-a", "B", types: ["A", "B"]))
        #expect(!matches(.all, "note-a", "C", types: ["A", "B"]))
        #expect(!matches(.stream("note-a".stream), "note-a", "a", types: ["A"]))
        #expect(!matches(.category("note".category), "story-1", "A", types: ["A"]))
    }
}
