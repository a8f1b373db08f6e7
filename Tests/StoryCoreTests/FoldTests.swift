import StoryCore
import Testing
import TestSupport

struct FoldTests {
    @Test func `a story is what its events made of it`() throws {
        let story = try #require(
            try row(
                "story-s1", .posted(title: "A", date: "2026-01-01T00:00:00Z"), .liked(by: "u1"), .liked(by: "u2"),
                .unliked(by: "u1"), .story(.revised(StoryRevised(title: Text("B"), message: nil)))
            ).story)
        #expect(story.title == Text("B"))
        #expect(story.message == Text("Once"))
        #expect(story.likes == 1)
        #expect(story.version == Version(5))
        #expect(story.position == Position(5))
        #expect(story.date == "2026-01-01T00:00:00Z".instant)
    }

    @Test func `a date that was not given is the time of the event`() throws {
        let time = EventMaker().time
        #expect(try #require(try row("story-s1", .posted(), .liked(by: "u1")).story).date == time)
        #expect(try #require(try row("message-m1", .sent(), .message(.seen)).message).date == time)
        #expect(try #require(try row("user-u1", .signedUp()).user).date == time)
        #expect(try #require(try row("photo-p1", .added()).photo).date == time)
    }

    @Test func `a user, a message and a photo are revised field by field`() throws {
        let revision = UserRevised(name: nil, email: Text("B@x.y"), prefecture: nil)
        let user = try #require(try row("user-u1", .signedUp(name: "Mio"), .user(.revised(revision))).user)
        #expect(user.name == Text("Mio") && user.email == Text("B@x.y") && user.prefecture == 13)
        let message = try #require(try row("message-m1", .sent(), .message(.seen)).message)
        #expect(message.seen && message.version == Version(2))
        let exposure = PhotoExposureRevised(exposureValue: -3, exposureDuration: nil)
        let photo = try #require(try row("photo-p1", .added(), .photo(.exposureRevised(exposure))).photo)
        #expect(photo.exposureValue == -3 && photo.exposureDuration.text == "1/125")
    }

    @Test func `what is deleted has no row`() {
        var maker = EventMaker()
        let events = [
            maker.event("story-s1", .posted()), maker.event("story-s1", .story(.deleted)),
            maker.event("message-m1", .sent()), maker.event("message-m1", .message(.deleted)),
            maker.event("photo-p1", .added()), maker.event("photo-p1", .photo(.deleted)),
        ]
        let rows = PlainRows(events)
        for kind in Kind.allCases { #expect(rows.rows(kind).isEmpty) }
    }

    /// Every event that cannot be a stream's first, tried on nothing; and every first one, tried on what is there.
    @Test func `an event that cannot follow leaves things as they are`() throws {
        var maker = EventMaker()
        let first = maker.event("story-s1", .posted())
        let story = try #require(try row("story-s1", .posted(), .liked(by: "u1")).story)
        let after = maker.event("story-s1", .posted(title: "Other"))
        let posted = StoryPosted(
            title: Text("Other"), message: Text("x"), sender: "u1".id, recipient: "u2".id, date: nil)
        #expect(StoryFold.fold(.posted(posted), of: after, into: story) == story)
        #expect(StoryFold.fold(.posted(posted), of: after, into: nil) == nil)
        #expect(StoryFold.fold(.posted(posted), of: first, into: nil) != nil)
        let late: [StoryEvent] = [
            .liked(by: "u1".id), .unliked(by: "u1".id), .deleted, .revised(StoryRevised(title: nil, message: nil)),
        ]
        for happening in late { #expect(StoryFold.fold(happening, of: after, into: nil) == nil) }
    }

    @Test func `nobody, no message and no photo comes of an event that cannot be the first`() throws {
        var maker = EventMaker()
        _ = maker.event("user-u1", .signedUp())
        let after = maker.event("user-u1", .signedUp(name: "Mio"))
        let signedUp = UserSignedUp(name: Text("Mio"), email: Text("m@x.y"), prefecture: 1)
        let user = try #require(try row("user-u1", .signedUp()).user)
        #expect(UserFold.fold(.signedUp(signedUp), of: after, into: user) == user)
        let revised = UserRevised(name: Text("Mio"), email: nil, prefecture: nil)
        #expect(UserFold.fold(.revised(revised), of: after, into: nil) == nil)
        let message = try #require(try row("message-m1", .sent(), .message(.seen)).message)
        let sent = MessageSent(text: Text("x"), sender: "u2".id, recipient: "u1".id, story: nil, date: nil)
        #expect(MessageFold.fold(.sent(sent), of: after, into: message) == message)
        #expect(MessageFold.fold(.sent(sent), of: after, into: nil) == nil)
        #expect(MessageFold.fold(.seen, of: after, into: nil) == nil)
        #expect(MessageFold.fold(.deleted, of: after, into: nil) == nil)
        #expect(PhotoFold.fold(.deleted, of: after, into: nil) == nil)
        let photo = try #require(try row("photo-p1", .added()).photo)
        guard case .photo(.added(let added)) = EventBody.added(owner: "u2") else { return }
        #expect(PhotoFold.fold(.added(added), of: after, into: photo) == photo)
        #expect(PhotoFold.fold(.added(added), of: after, into: nil) == nil)
    }

    @Test func `likes never fall below none`() throws {
        let story = try #require(try row("story-s1", .posted(), .unliked(by: "u1")).story)
        #expect(story.likes == 0)
    }
}
