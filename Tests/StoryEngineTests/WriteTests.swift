import StoryCore
import StoryEngine
import Testing
import TestSupport

/// Two users and one story, at positions 1 to 3.
func smallWorld() -> EngineHarness {
    let harness = EngineHarness()
    harness.ask(.postUser("u1"))
    harness.ask(.postUser("u2"))
    harness.ask(.postStory("s1"))
    return harness
}

extension RequestAction {
    static func editing(
        _ kind: Kind, _ id: String, _ fields: KeyValuePairs<String, JSONMember.Value>, key: String? = nil,
        version: UInt64? = nil, meta: String? = nil
    ) -> RequestAction {
        .edit(kind, id.id, .of(fields), .with(key: key, version: version, meta: meta))
    }

    static func liking(_ id: String, by user: String, key: String? = nil, version: UInt64? = nil) -> RequestAction {
        .like(.stories, id.id, .of(["user": .string(user)]), .with(key: key, version: version))
    }

    static func unliking(_ id: String, by user: String, key: String? = nil) -> RequestAction {
        .unlike(.stories, id.id, .of(["user": .string(user)]), .with(key: key))
    }

    static func deleting(_ kind: Kind, _ id: String, key: String? = nil, version: UInt64? = nil) -> RequestAction {
        .delete(kind, id.id, .with(key: key, version: version))
    }
}

extension WriteOptions {
    static func with(key: String? = nil, version: UInt64? = nil, meta: String? = nil) -> WriteOptions {
        WriteOptions(key: key?.key, version: version.map(Version.init), meta: meta?.view)
    }
}

struct WriteTests {
    private let world = smallWorld()

    @Test func `a write appends its event and answers with the receipt`() {
        world.now = "2027-02-03T04:05:06.007Z".instant
        let fields = Fields.story("s2", title: "B")
        let answer = world.ask(
            .post(.stories, fields, .with(key: "k", version: 0, meta: "{\"a\":1}")), tag: Tag("t".bytes))
        let posted = StoryPosted(
            title: Text("B"), message: Text("Once"), sender: "u1".id, recipient: "u2".id, date: nil)
        let event = Event(
            position: Position(4), stream: "story-s2".stream, streamNumber: StreamNumber(4), version: Version(1),
            time: world.now, by: 1_000, key: "k".key, meta: "{\"a\":1}".view, body: .story(.posted(posted)))
        let receipt = Receipt(
            id: "s2".id, stream: "story-s2".stream, version: Version(1), position: Position(4), time: world.now)
        expect(
            answer.effects == [
                .append(event), .reply(Tag("t".bytes), .done(.receipt(receipt)), restsOn: receipt.position),
            ])
    }

    @Test func `each write has its event, and the next query sees it`() throws {
        let photo = try require(world.ask(.postPhoto("p1")).receipt)
        expect(photo.version == Version(1))
        expect(world.ask(.postMessage("m1", about: "s1")).receipt?.position == Position(5))
        expect(world.ask(.see(.messages, "m1".id, .with())).receipt?.version == Version(2))
        expect(world.ask(.getting(.messages, "m1")).row?.message?.seen == true)
        expect(world.ask(.liking("s1", by: "u2")).receipt?.version == Version(2))
        expect(world.ask(.getting(.stories, "s1")).row?.story?.likes == 1)
        expect(world.ask(.unliking("s1", by: "u2")).receipt?.version == Version(3))
        expect(world.ask(.editing(.stories, "s1", ["title": "B"])).receipt?.version == Version(4))
        expect(world.ask(.getting(.stories, "s1")).row?.story?.title == Text("B"))
        expect(world.ask(.editing(.users, "u1", ["prefecture": 1])).receipt?.version == Version(2))
        expect(world.ask(.getting(.users, "u1")).row?.user?.prefecture == 1)
        expect(world.ask(.editing(.photos, "p1", ["exposureDuration": "1/60"])).receipt?.version == Version(2))
        expect(world.ask(.getting(.photos, "p1")).row?.photo?.exposureDuration.text == "1/60")
        expect(world.ask(.deleting(.photos, "p1")).receipt?.version == Version(3))
        expect(world.ask(.getting(.photos, "p1")).code == .gone)
        expect(world.log.head == Position(12))
    }

    @Test func `an ID that was not chosen is given, short, and another where it is taken`() {
        expect(world.ask(.post(.stories, Fields.story(), .with())).receipt?.id == "a4".id)
        expect(world.ask(.postStory("a6")).receipt?.id == "a6".id)
        expect(world.ask(.post(.stories, Fields.story(), .with())).receipt?.id == "a6~".id)
    }

    @Test func `a wrong form is refused with every wrong field`() {
        let answer = world.ask(.post(.stories, .of(["title": "", "sender": "u9", "colour": "red"]), .with()))
        expect(answer.code == .invalid)
        let all: [String: FieldRule] = [
            "title": .empty, "message": .missing, "sender": .noSuch, "recipient": .missing, "colour": .unknownField,
        ]
        expect(answer.wrongFields == all)
        expect(answer.events == [])
    }

    @Test func `an ID is used once, not even after a deletion again`() {
        expect(world.ask(.postStory("s1")).failure?.detail == .field("id"))
        world.ask(.deleting(.stories, "s1"))
        let answer = world.ask(.postStory("s1"))
        expect(answer.code == .exists)
        expect(answer.failure?.detail == .field("id"))
        expect(world.ask(.postUser("u1", email: "new@example.org")).code == .exists)
    }

    @Test func `an address belongs to one user, ignoring case, until it is given up`() {
        let taken = world.ask(.postUser("u3", email: "U1@EXAMPLE.org"))
        expect(taken.code == .exists)
        expect(taken.failure?.detail == .field("email"))
        expect(world.ask(.editing(.users, "u2", ["email": "U1@example.org"])).failure?.detail == .field("email"))
        expect(world.ask(.editing(.users, "u1", ["email": "U1@EXAMPLE.org"])).receipt?.version == Version(2))
        expect(world.ask(.postUser("u3", email: "u1@example.org")).code == .exists)
        expect(world.ask(.editing(.users, "u1", ["email": "other@example.org"])).receipt?.version == Version(3))
        expect(world.ask(.postUser("u3", email: "u1@example.org")).receipt != nil)
    }

    @Test func `what was deleted is neither a story to write about nor anything to change`() {
        world.ask(.deleting(.stories, "s1"))
        expect(world.ask(.postMessage("m1", about: "s1")).wrongFields == ["story": .noSuch])
        expect(world.ask(.liking("s1", by: "u1")).code == .gone)
        expect(world.ask(.editing(.stories, "s1", ["title": "B"])).code == .gone)
        expect(world.ask(.deleting(.stories, "s1")).code == .gone)
    }

    @Test func `what never was is not found`() {
        expect(world.ask(.liking("s9", by: "u1")).code == .notFound)
        expect(world.ask(.unliking("s9", by: "u1")).code == .notFound)
        expect(world.ask(.see(.messages, "m9".id, .with())).code == .notFound)
        expect(world.ask(.editing(.users, "u9", ["name": "A"])).code == .notFound)
        expect(world.ask(.editing(.photos, "p9", [:])).code == .notFound)
        for kind in [Kind.stories, .messages, .photos] { expect(world.ask(.deleting(kind, "x")).code == .notFound) }
        expect(world.log.head == Position(3))
    }

    @Test func `a write that changes nothing appends nothing and tells how far the stream is`() {
        world.ask(.liking("s1", by: "u1"))
        let again = world.ask(.liking("s1", by: "u1"))
        let unchanged = Done.unchanged(
            id: "s1".id, stream: "story-s1".stream, version: Version(2), position: Position(4))
        expect(again.effects == [.reply(nil, .done(unchanged), restsOn: world.log.head)])
        expect(world.ask(.unliking("s1", by: "u2")).isUnchanged)
        expect(world.ask(.editing(.users, "u1", [:])).isUnchanged)
        expect(world.ask(.editing(.stories, "s1", ["title": "A title"])).isUnchanged)
        world.ask(.postMessage("m1"))
        world.ask(.see(.messages, "m1".id, .with()))
        expect(world.ask(.see(.messages, "m1".id, .with())).isUnchanged)
    }

    @Test func `a version that does not match is a conflict`() {
        let late = world.ask(.editing(.stories, "s1", ["title": "B"], version: 0))
        expect(late.code == .conflict)
        expect(late.failure?.detail == .versions(expected: .zero, actual: Version(1)))
        expect(late.failure?.code.retry == .refetch)
        expect(world.ask(.editing(.stories, "s1", ["title": "B"], version: 1)).receipt?.version == Version(2))
        expect(world.ask(.deleting(.stories, "s1", version: 1)).code == .conflict)
        expect(world.ask(.post(.stories, Fields.story("s2"), .with(version: 1))).code == .conflict)
        expect(world.ask(.post(.stories, Fields.story(), .with(version: 1))).code == .conflict)
        expect(world.ask(.post(.stories, Fields.story("s2"), .with(version: 0))).receipt != nil)
        expect(world.ask(.editing(.stories, "s2", [:], version: 7)).code == .conflict)
    }

    @Test func `what the grammar lets through but no kind has is unknown`() {
        world.ask(.postMessage("m1"))
        expect(world.ask(.editing(.messages, "m1", ["text": "B"])).code == .unknown)
        expect(world.ask(.deleting(.users, "u1")).code == .unknown)
    }

    @Test func `time never goes backwards, and positions have no gap over refusals`() {
        let first = world.now
        var maker = RequestMaker(seed: 12)
        var random = SplitMix64(seed: 12)
        for request in maker.opening() { world.ask(request) }
        for _ in 0..<300 {
            world.now = Instant(milliseconds: first.milliseconds + Int64.random(in: -100_000...100_000, using: &random))
            world.ask(maker.next())
        }
        let events = world.log.events
        expect(events.map(\.position.value) == (1...UInt64(events.count)).map { $0 })
        expect(zip(events, events.dropFirst()).allSatisfy { $0.time <= $1.time })
        for stream in Dictionary(grouping: events, by: \.stream).values {
            expect(stream.map(\.version.value) == (1...UInt64(stream.count)).map { $0 })
        }
        let numbers = events.filter { $0.version == Version(1) }.map(\.streamNumber.value)
        expect(numbers == (1...UInt64(numbers.count)).map { $0 })
    }

    @Test func `a broken clock cannot take time back over a restart either`() {
        world.now = Instant(milliseconds: 0)
        world.restart()
        let time = world.ask(.postStory("s2")).receipt?.time
        expect(time == world.log.events[2].time)
        expect(time != world.now)
    }
}
