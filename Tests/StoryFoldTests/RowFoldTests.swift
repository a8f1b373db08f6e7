import StoryCore
import Testing
import TestSupport

/// What events make of the row of their stream.
struct RowFoldTests {
    private func row(_ stream: String, _ bodies: EventBody...) throws -> Row {
        var maker = EventMaker()
        return Row(try require(RowCopy.folded(bodies.map { maker.event(stream, $0) })))
    }

    @Test func `a story is what its events made of it`() throws {
        let story = try require(
            try row(
                "story-s1", .posted(title: "A", date: "2026-01-01T00:00:00Z"), .liked(by: "u1"), .liked(by: "u2"),
                .unliked(by: "u1"), .story(.revised(StoryRevised(title: Text("B"), message: nil)))
            ).story)
        expect(story.title == Text("B"))
        expect(story.message == Text("Once"))
        expect(story.likes == 1)
        expect(story.version == Version(5))
        expect(story.position == Position(5))
        expect(story.date == "2026-01-01T00:00:00Z".instant)
    }

    @Test func `a date that was not given is the time of the event`() throws {
        let time = EventMaker().time
        expect(try require(try row("story-s1", .posted(), .liked(by: "u1")).story).date == time)
        expect(try require(try row("message-m1", .sent(), .message(.seen)).message).date == time)
        expect(try require(try row("user-u1", .signedUp()).user).date == time)
        expect(try require(try row("photo-p1", .added()).photo).date == time)
    }

    @Test func `a user, a message and a photo are revised field by field`() throws {
        let revision = UserRevised(name: nil, email: Text("B@x.y"), prefecture: nil)
        let user = try require(try row("user-u1", .signedUp(name: "Mio"), .user(.revised(revision))).user)
        expect(user.name == Text("Mio") && user.email == Text("B@x.y") && user.prefecture == 13)
        let message = try require(try row("message-m1", .sent(), .message(.seen)).message)
        expect(message.seen && message.version == Version(2))
        let exposure = PhotoExposureRevised(exposureValue: -3, exposureDuration: nil)
        let photo = try require(try row("photo-p1", .added(), .photo(.exposureRevised(exposure))).photo)
        expect(photo.exposureValue == -3 && photo.exposureDuration.text == "1/125")
    }

    @Test func `what is deleted has no row`() {
        for (stream, bodies) in [
            ("story-s1", [.posted(), .story(.deleted)]), ("message-m1", [.sent(), .message(.deleted)]),
            ("photo-p1", [.added(), .photo(.deleted)]),
        ] as [(String, [EventBody])] {
            var maker = EventMaker()
            expect(RowCopy.folded(bodies.map { maker.event(stream, $0) }) == nil)
        }
    }

    @Test func `an event that cannot follow leaves things as they are`() throws {
        let posted = EventBody.posted(title: "Other")
        let story = try require(try row("story-s1", .posted(), .liked(by: "u1"), posted).story)
        expect(story.title == Text("A title") && story.version == Version(2))
        let user = try require(try row("user-u1", .signedUp(), .signedUp(name: "Mio")).user)
        expect(user.name == Text("Aki") && user.version == Version(1))
        let message = try require(try row("message-m1", .sent(), .message(.seen), .sent(from: "u2")).message)
        expect(message.sender == "u1".id && message.version == Version(2))
        let photo = try require(try row("photo-p1", .added(), .added(owner: "u2")).photo)
        expect(photo.owner == "u1".id)
    }

    @Test func `nothing comes of events that cannot be a stream's first`() {
        let exposure = PhotoExposureRevised(exposureValue: 1, exposureDuration: nil)
        let late: [(String, EventBody)] = [
            ("story-s1", .liked(by: "u1")), ("story-s1", .unliked(by: "u1")), ("story-s1", .story(.deleted)),
            ("story-s1", .story(.revised(StoryRevised(title: nil, message: nil)))),
            ("user-u1", .user(.revised(UserRevised(name: Text("A"), email: nil, prefecture: nil)))),
            ("message-m1", .message(.seen)), ("message-m1", .message(.deleted)),
            ("photo-p1", .photo(.exposureRevised(exposure))), ("photo-p1", .photo(.deleted)),
        ]
        for (stream, body) in late {
            var maker = EventMaker()
            expect(RowCopy.folded([maker.event(stream, body)]) == nil)
        }
    }

    @Test func `likes never fall below none`() throws {
        let story = try require(try row("story-s1", .posted(), .unliked(by: "u1")).story)
        expect(story.likes == 0)
    }
}
