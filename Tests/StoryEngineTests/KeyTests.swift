import StoryCore
import StoryEngine
import Testing
import TestSupport

struct KeyTests {
    private let world = smallWorld()

    /// Sends a request twice with other writes between, and expects the first receipt again.
    private func expectRepeated(_ request: RequestAction) throws {
        let first = try require(world.ask(request).receipt)
        expect(!first.repeated)
        world.now = Instant(milliseconds: world.now.milliseconds + 60_000)
        world.ask(.append("note-between", "Noted"))
        let head = world.log.head
        let again = world.ask(request)
        let expected = Receipt(
            id: first.id, stream: first.stream, version: first.version, position: first.position, time: first.time,
            repeated: true)
        expect(again.effects == [.reply(nil, .done(.receipt(expected)), restsOn: expected.position)])
        world.restart()
        expect(world.ask(request) == again)
        expect(world.log.head == head)
    }

    @Test func `each write happens once`() throws {
        try expectRepeated(.post(.users, Fields.user("u3"), .with(key: "1")))
        try expectRepeated(.post(.stories, Fields.story("s2"), .with(key: "2", meta: "{}")))
        try expectRepeated(.post(.messages, Fields.message("m1", about: "s1"), .with(key: "3", version: 0)))
        try expectRepeated(.post(.photos, Fields.photo("p1").with("flash", "normal"), .with(key: "4")))
        try expectRepeated(.editing(.users, "u1", ["name": "Mio"], key: "5"))
        try expectRepeated(.editing(.stories, "s1", ["message": "Twice"], key: "6", version: 1))
        try expectRepeated(.editing(.photos, "p1", ["exposureValue": 1], key: "7"))
        try expectRepeated(.liking("s1", by: "u1", key: "8"))
        try expectRepeated(.unliking("s1", by: "u1", key: "9"))
        try expectRepeated(.see(.messages, "m1".id, .with(key: "10")))
        try expectRepeated(.deleting(.messages, "m1", key: "11"))
        try expectRepeated(.deleting(.photos, "p1", key: "12"))
        try expectRepeated(.deleting(.stories, "s1", key: "13", version: 4))
        try expectRepeated(.append("note-a", "Noted", key: "14"))
        try expectRepeated(.append("note-a", "Noted", "Noted", "Dropped", key: "15"))
    }

    @Test func `a write with a given ID happens once, whether the ID was chosen or not`() throws {
        try expectRepeated(.post(.stories, Fields.story(), .with(key: "1")))
        try expectRepeated(.post(.users, Fields.user(email: "x@example.org"), .with(key: "2")))
    }

    @Test func `it is the first receipt still after the row was edited and deleted`() throws {
        let request = RequestAction.editing(.stories, "s1", ["title": "B"], key: "k")
        let first = try require(world.ask(request).receipt)
        world.ask(.editing(.stories, "s1", ["title": "C"]))
        expect(world.ask(request).receipt?.version == first.version)
        world.ask(.deleting(.stories, "s1"))
        expect(world.ask(request).receipt?.position == first.position)
        expect(world.ask(.getting(.stories, "s1")).code == .gone)
    }

    @Test func `a post that would now be refused is answered by its receipt`() throws {
        try expectRepeated(.post(.messages, Fields.message("m1", about: "s1"), .with(key: "k")))
        world.ask(.deleting(.stories, "s1"))
        let again = world.ask(.post(.messages, Fields.message("m1", about: "s1"), .with(key: "k")))
        expect(again.receipt?.repeated == true)
    }

    @Test(arguments: [
        RequestAction.post(.stories, Fields.story("s2", title: "Other"), .with(key: "k", meta: "{}")),
        .post(.stories, Fields.story("s3"), .with(key: "k", meta: "{}")),
        .post(.stories, Fields.story(), .with(key: "k", meta: "{}")),
        .post(.stories, Fields.story("s2"), .with(key: "k", meta: "{\"a\":1}")),
        .post(.stories, Fields.story("s2"), .with(key: "k")),
        .post(.stories, Fields.story("s2", date: "2026-01-01T00:00:00Z"), .with(key: "k", meta: "{}")),
        .post(.stories, [], .with(key: "k", meta: "{}")),
        .post(.photos, Fields.photo("s2"), .with(key: "k", meta: "{}")),
        .editing(.stories, "s2", ["title": "A title"], key: "k", meta: "{}"),
        .editing(.stories, "s2", ["title": "Other"], key: "k", meta: "{}"),
        .liking("s2", by: "u1", key: "k"), .see(.messages, "s2".id, .with(key: "k", meta: "{}")),
        .deleting(.stories, "s2", key: "k"), .append("story-s2", "StoryPosted", key: "k"),
        .append("note-a", "Noted", key: "k"),
    ])
    func `the key of another request is refused`(request: RequestAction) {
        let first = world.ask(.post(.stories, Fields.story("s2"), .with(key: "k", meta: "{}")))
        expect(first.receipt?.position == Position(4))
        let answer = world.ask(request)
        expect(answer.code == .keyReused)
        expect(answer.failure?.detail == .position(Position(4)))
        expect(world.log.head == Position(4))
    }

    @Test(arguments: [nil, 0, 1, 2, UInt64.max])
    func `the version is no part of what a key stands for`(version: UInt64?) {
        world.ask(.append("note-a", "Noted", "Dropped", version: 0, key: "a"))
        world.ask(.append("note-a", "Noted"))
        world.ask(.post(.stories, Fields.story("s2"), .with(key: "p", version: 0)))
        world.ask(.editing(.stories, "s2", ["title": "Other"], key: "e", version: 1))
        world.ask(.liking("s2", by: "u1", key: "l", version: 2))
        world.ask(.deleting(.stories, "s2", key: "d", version: 3))
        let head = world.log.head
        let again: [RequestAction] = [
            .append("note-a", "Noted", "Dropped", version: version, key: "a"),
            .post(.stories, Fields.story("s2"), .with(key: "p", version: version)),
            .editing(.stories, "s2", ["title": "Other"], key: "e", version: version),
            .liking("s2", by: "u1", key: "l", version: version),
            .deleting(.stories, "s2", key: "d", version: version),
        ]
        for request in again { expect(world.ask(request).receipt?.repeated == true, "\(request)") }
        expect(world.log.head == head)
    }

    @Test func `the key of another append is refused`() {
        world.ask(.append("note-a", "Noted", "Dropped", key: "k"))
        let others: [RequestAction] = [
            .append("note-a", "Noted", key: "k"), .append("note-a", "Dropped", "Noted", key: "k"),
            .append("note-b", "Noted", "Dropped", key: "k"), .append("note-a", "Noted", "Dropped", "Noted", key: "k"),
            .append(
                "note-a".stream,
                [
                    EventProposal(type: "Noted".type, data: "{ }".view, meta: nil),
                    EventProposal(type: "Dropped".type, data: "{}".view, meta: nil),
                ], .with(key: "k")),
            .append(
                "note-a".stream,
                [
                    EventProposal(type: "Noted".type, data: "{}".view, meta: nil),
                    EventProposal(type: "Dropped".type, data: "{}".view, meta: "{}".view),
                ], .with(key: "k")),
        ]
        for other in others { expect(world.ask(other).code == .keyReused) }
        expect(world.ask(.append("note-a", "Noted", "Dropped", key: "k")).receipt?.repeated == true)
    }

    @Test func `a like and taking it back are two requests`() {
        world.ask(.liking("s1", by: "u1", key: "k"))
        expect(world.ask(.unliking("s1", by: "u1", key: "k")).code == .keyReused)
        expect(world.ask(.liking("s1", by: "u2", key: "k")).code == .keyReused)
    }

    @Test func `a log that cannot be read is no reason to write twice`() {
        let request = RequestAction.append("note-a", "Noted", key: "k")
        world.ask(request)
        world.log.failure = .failed("the disk is ill")
        expect(world.ask(request).code == .internal)
        world.log.failure = .full("the disk is full")
        expect(world.ask(request).code == .full)
        world.log.failure = nil
        expect(world.ask(request).receipt?.repeated == true)
        expect(world.log.head == Position(4))
    }
}
