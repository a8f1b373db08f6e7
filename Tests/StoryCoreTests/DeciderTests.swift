import StoryCore
import Testing
import TestSupport

/// The row that a history of one stream comes to.
private func row(_ stream: String, _ bodies: EventBody...) throws -> RowCopy {
    var maker = EventMaker()
    return try #require(RowCopy.folded(bodies.map { maker.event(stream, $0) }))
}

struct UserDeciderTests {
    private func aki() throws -> UserFields {
        try row("user-u1", .signedUp(email: "aki@example.org")).withView { UserFields($0) }
    }

    private func signUp() throws -> UserEvent {
        .signedUp(try built(SignUpForm.self, Fields.user("u1", email: "aki@example.org")).event)
    }

    private func revision(_ fields: FormFields) throws -> UserEvent {
        .revised(try built(ReviseUserForm.self, fields).event)
    }

    @Test func `given nobody, when somebody signs up, then that happened`() throws {
        #expect(UserDecider.decide(try signUp(), on: .none) == .append)
    }

    @Test func `given a user, when the ID signs up again, then it is taken`() throws {
        #expect(UserDecider.decide(try signUp(), on: .live(try aki()), emailIsTaken: true) == .refused(.idTaken))
        #expect(UserDecider.decide(try signUp(), on: .gone) == .refused(.idTaken))
    }

    @Test func `given the address with another, when somebody signs up, then it is taken`() throws {
        let decision = UserDecider.decide(try signUp(), on: .none, emailIsTaken: true)
        #expect(decision == .refused(.emailTaken(Text("aki@example.org"))))
    }

    @Test func `given a user, when a revision says the same, then nothing changes`() throws {
        #expect(UserDecider.decide(try revision([]), on: .live(try aki())) == .unchanged)
        let same: FormFields = .of(["name": "Aki", "email": "aki@example.org", "prefecture": 13])
        #expect(UserDecider.decide(try revision(same), on: .live(try aki())) == .unchanged)
    }

    @Test func `given a user, when a field is revised, then that happened`() throws {
        let event = try revision(.of(["email": "AKI@example.org"]))
        #expect(event == .revised(UserRevised(name: nil, email: Text("AKI@example.org"), prefecture: nil)))
        #expect(UserDecider.decide(event, on: .live(try aki())) == .append)
        let moved = try revision(.of(["name": "Aki", "prefecture": 1]))
        #expect(moved == .revised(UserRevised(name: Text("Aki"), email: nil, prefecture: 1)))
        #expect(UserDecider.decide(moved, on: .live(try aki())) == .append)
    }

    @Test func `given another with the address, when it is revised, then it is taken`() throws {
        let taken = try revision(.of(["email": "mio@example.org"]))
        let decision = UserDecider.decide(taken, on: .live(try aki()), emailIsTaken: true)
        #expect(decision == .refused(.emailTaken(Text("mio@example.org"))))
        let moved = try revision(.of(["prefecture": 1]))
        #expect(UserDecider.decide(moved, on: .live(try aki()), emailIsTaken: true) == .append)
    }

    @Test func `given nobody, when a revision comes, then nobody is found`() throws {
        #expect(UserDecider.decide(try revision(.of(["prefecture": 1])), on: .none) == .refused(.notFound))
    }
}

struct StoryDeciderTests {
    private func story() throws -> Existence<StoryFields> {
        .live(try row("story-s1", .posted()).withView { StoryFields($0) })
    }

    private func post() throws -> StoryEvent { .posted(try built(PostStoryForm.self, Fields.story("s1")).event) }
    private func user() throws -> Identifier { try built(LikeForm.self, .of(["user": "u1"])).event }
    private func revision(_ fields: FormFields) throws -> StoryEvent {
        .revised(try built(ReviseStoryForm.self, fields).event)
    }

    @Test func `given nothing, when a story is posted, then that happened`() throws {
        #expect(StoryDecider.decide(try post(), on: .none) == .append)
    }

    @Test func `given a story or what is left of it, when its ID is posted, then it is taken`() throws {
        #expect(StoryDecider.decide(try post(), on: try story()) == .refused(.idTaken))
        #expect(StoryDecider.decide(try post(), on: .gone) == .refused(.idTaken))
    }

    @Test func `given a story, when a revision says the same, then nothing changes`() throws {
        #expect(StoryDecider.decide(try revision([]), on: try story()) == .unchanged)
        let same: FormFields = .of(["title": "A title", "message": "Once"])
        #expect(StoryDecider.decide(try revision(same), on: try story()) == .unchanged)
    }

    @Test func `given a story, when a field is revised, then that happened`() throws {
        let event = try revision(.of(["message": "Twice"]))
        #expect(event == .revised(StoryRevised(title: nil, message: Text("Twice"))))
        #expect(StoryDecider.decide(event, on: try story()) == .append)
    }

    @Test func `a revision between two spellings of one character is a revision`() throws {
        let composed = try row("story-s1", .posted(title: "\u{E9}")).withView { StoryFields($0) }
        let event = try revision(.of(["title": "e\u{301}"]))
        #expect(event == .revised(StoryRevised(title: Text("e\u{301}"), message: nil)))
        #expect(StoryDecider.decide(event, on: .live(composed)) == .append)
    }

    @Test func `a like counts once, and can be taken back once`() throws {
        let (liked, unliked) = (StoryEvent.liked(by: try user()), StoryEvent.unliked(by: try user()))
        #expect(StoryDecider.decide(liked, on: try story()) == .append)
        #expect(StoryDecider.decide(liked, on: try story(), isLiked: true) == .unchanged)
        #expect(StoryDecider.decide(unliked, on: try story()) == .unchanged)
        #expect(StoryDecider.decide(unliked, on: try story(), isLiked: true) == .append)
    }

    @Test func `what is not there cannot be revised, liked or deleted`() throws {
        let events = [
            try revision(.of(["title": "B"])), .liked(by: try user()), .unliked(by: try user()), .deleted,
        ]
        for event in events {
            #expect(StoryDecider.decide(event, on: .none) == .refused(.notFound))
            #expect(StoryDecider.decide(event, on: .gone) == .refused(.gone))
        }
        #expect(StoryDecider.decide(.deleted, on: try story()) == .append)
    }
}

struct MessageAndPhotoDeciderTests {
    @Test func `given nothing, when a message is sent, then that happened`() throws {
        let event = MessageEvent.sent(try built(SendMessageForm.self, Fields.message("m1")).event)
        #expect(MessageDecider.decide(event, on: .none) == .append)
        #expect(MessageDecider.decide(event, on: .gone) == .refused(.idTaken))
    }

    @Test func `a message is seen once`() throws {
        let sent = try row("message-m1", .sent()).withView { MessageFields($0) }
        let seen = try row("message-m1", .sent(), .message(.seen)).withView { MessageFields($0) }
        #expect(MessageDecider.decide(.seen, on: .live(sent)) == .append)
        #expect(MessageDecider.decide(.seen, on: .live(seen)) == .unchanged)
        #expect(MessageDecider.decide(.deleted, on: .live(seen)) == .append)
    }

    @Test func `what is not there cannot be seen, revised or deleted`() throws {
        let revision = PhotoEvent.exposureRevised(try built(RevisePhotoForm.self, []).event)
        for (existence, refusal) in [(Existence<MessageFields>.none, Refusal.notFound), (.gone, .gone)] {
            #expect(MessageDecider.decide(.seen, on: existence) == .refused(refusal))
            #expect(MessageDecider.decide(.deleted, on: existence) == .refused(refusal))
        }
        for (existence, refusal) in [(Existence<PhotoFields>.none, Refusal.notFound), (.gone, .gone)] {
            #expect(PhotoDecider.decide(revision, on: existence) == .refused(refusal))
            #expect(PhotoDecider.decide(.deleted, on: existence) == .refused(refusal))
        }
    }

    @Test func `a photo's exposure is revised where it differs, as it is written`() throws {
        let photo = Existence.live(try row("photo-p1", .added()).withView { PhotoFields($0) })
        func revise(_ fields: FormFields) throws -> Decision {
            PhotoDecider.decide(.exposureRevised(try built(RevisePhotoForm.self, fields).event), on: photo)
        }
        #expect(try revise([]) == .unchanged)
        #expect(try revise(.of(["exposureValue": 0, "exposureDuration": "1/125"])) == .unchanged)
        #expect(try revise(.of(["exposureDuration": "2/250"])) == .append)
        #expect(try revise(.of(["exposureValue": 1])) == .append)
        let event = try built(RevisePhotoForm.self, .of(["exposureValue": 1])).event
        #expect(event == PhotoExposureRevised(exposureValue: 1, exposureDuration: nil))
        let taken = PhotoEvent.added(try built(AddPhotoForm.self, Fields.photo("p1")).event)
        #expect(PhotoDecider.decide(taken, on: photo) == .refused(.idTaken))
        #expect(PhotoDecider.decide(.deleted, on: photo) == .append)
    }
}
