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

    private func signUp() throws -> SignUp { try built(SignUpForm.self, Fields.user("u1", email: "aki@example.org")) }

    private func revise(_ fields: FormFields, _ state: UserState) throws -> Decision<UserEvent> {
        UserDecider.decide(.revise(try built(ReviseUserForm.self, fields)), state)
    }

    @Test func `given nobody, when somebody signs up, then that happened`() throws {
        let command = try signUp()
        #expect(UserDecider.decide(.signUp(command), UserState(existence: .none)) == .event(.signedUp(command.event)))
    }

    @Test func `given a user, when the ID signs up again, then it is taken`() throws {
        let state = UserState(existence: .live(try aki()), emailIsTaken: true)
        #expect(UserDecider.decide(.signUp(try signUp()), state) == .refused(.idTaken))
        #expect(UserDecider.decide(.signUp(try signUp()), UserState(existence: .gone)) == .refused(.idTaken))
    }

    @Test func `given the address with another, when somebody signs up, then it is taken`() throws {
        let decision = UserDecider.decide(.signUp(try signUp()), UserState(existence: .none, emailIsTaken: true))
        #expect(decision == .refused(.emailTaken(Text("aki@example.org"))))
    }

    @Test func `given a user, when a revision says the same, then nothing changes`() throws {
        let state = UserState(existence: .live(try aki()))
        #expect(try revise([], state) == .unchanged)
        let same: FormFields = .of(["name": "Aki", "email": "aki@example.org", "prefecture": 13])
        #expect(try revise(same, state) == .unchanged)
    }

    @Test func `given a user, when a field is revised, then that happened`() throws {
        let state = UserState(existence: .live(try aki()))
        let event = UserRevised(name: nil, email: Text("AKI@example.org"), prefecture: nil)
        #expect(try revise(.of(["email": "AKI@example.org"]), state) == .event(.revised(event)))
        let moved = UserRevised(name: Text("Aki"), email: nil, prefecture: 1)
        #expect(try revise(.of(["name": "Aki", "prefecture": 1]), state) == .event(.revised(moved)))
    }

    @Test func `given another with the address, when it is revised, then it is taken`() throws {
        let state = UserState(existence: .live(try aki()), emailIsTaken: true)
        let decision = try revise(.of(["email": "mio@example.org"]), state)
        #expect(decision == .refused(.emailTaken(Text("mio@example.org"))))
        #expect(try revise(.of(["prefecture": 1]), state) != .refused(.emailTaken(Text("mio@example.org"))))
    }

    @Test func `given nobody, when a revision comes, then nobody is found`() throws {
        #expect(try revise(.of(["prefecture": 1]), UserState(existence: .none)) == .refused(.notFound))
    }
}

struct StoryDeciderTests {
    private func state(isLiked: Bool = false) throws -> StoryState {
        StoryState(existence: .live(try row("story-s1", .posted()).withView { StoryFields($0) }), isLiked: isLiked)
    }

    private func like() throws -> LikeStory { try built(LikeForm.self, .of(["user": "u1"])) }
    private func revise(_ fields: FormFields) throws -> StoryCommand {
        .revise(try built(ReviseStoryForm.self, fields))
    }

    @Test func `given nothing, when a story is posted, then that happened`() throws {
        let command = try built(PostStoryForm.self, Fields.story("s1"))
        let decision = StoryDecider.decide(.post(command), StoryState(existence: .none))
        #expect(decision == .event(.posted(command.event)))
    }

    @Test func `given a story or what is left of it, when its ID is posted, then it is taken`() throws {
        let command = StoryCommand.post(try built(PostStoryForm.self, Fields.story("s1")))
        #expect(StoryDecider.decide(command, try state()) == .refused(.idTaken))
        #expect(StoryDecider.decide(command, StoryState(existence: .gone)) == .refused(.idTaken))
    }

    @Test func `given a story, when a revision says the same, then nothing changes`() throws {
        #expect(StoryDecider.decide(try revise([]), try state()) == .unchanged)
        let same: FormFields = .of(["title": "A title", "message": "Once"])
        #expect(StoryDecider.decide(try revise(same), try state()) == .unchanged)
    }

    @Test func `given a story, when a field is revised, then that happened`() throws {
        let event = StoryRevised(title: nil, message: Text("Twice"))
        let decision = StoryDecider.decide(try revise(.of(["message": "Twice"])), try state())
        #expect(decision == .event(.revised(event)))
    }

    @Test func `a revision between two spellings of one character is a revision`() throws {
        let composed = try row("story-s1", .posted(title: "\u{E9}")).withView { StoryFields($0) }
        let command = try revise(.of(["title": "e\u{301}"]))
        let decision = StoryDecider.decide(command, StoryState(existence: .live(composed)))
        #expect(decision == .event(.revised(StoryRevised(title: Text("e\u{301}"), message: nil))))
    }

    @Test func `a like counts once, and can be taken back once`() throws {
        #expect(StoryDecider.decide(.like(try like()), try state()) == .event(.liked(by: "u1".id)))
        #expect(StoryDecider.decide(.like(try like()), try state(isLiked: true)) == .unchanged)
        #expect(StoryDecider.decide(.unlike(try like()), try state()) == .unchanged)
        #expect(StoryDecider.decide(.unlike(try like()), try state(isLiked: true)) == .event(.unliked(by: "u1".id)))
    }

    @Test func `what is not there cannot be revised, liked or deleted`() throws {
        let commands = [try revise(.of(["title": "B"])), .like(try like()), .unlike(try like()), .delete]
        for command in commands {
            #expect(StoryDecider.decide(command, StoryState(existence: .none)) == .refused(.notFound))
            #expect(StoryDecider.decide(command, StoryState(existence: .gone)) == .refused(.gone))
        }
        #expect(StoryDecider.decide(.delete, try state()) == .event(.deleted))
    }
}

struct MessageAndPhotoDeciderTests {
    @Test func `given nothing, when a message is sent, then that happened`() throws {
        let command = try built(SendMessageForm.self, Fields.message("m1"))
        let decision = MessageDecider.decide(.send(command), MessageState(existence: .none))
        #expect(decision == .event(.sent(command.event)))
        #expect(MessageDecider.decide(.send(command), MessageState(existence: .gone)) == .refused(.idTaken))
    }

    @Test func `a message is seen once`() throws {
        let sent = try row("message-m1", .sent()).withView { MessageFields($0) }
        let seen = try row("message-m1", .sent(), .message(.seen)).withView { MessageFields($0) }
        #expect(MessageDecider.decide(.see, MessageState(existence: .live(sent))) == .event(.seen))
        #expect(MessageDecider.decide(.see, MessageState(existence: .live(seen))) == .unchanged)
        #expect(MessageDecider.decide(.delete, MessageState(existence: .live(seen))) == .event(.deleted))
    }

    @Test func `what is not there cannot be seen, revised or deleted`() throws {
        let revision = PhotoCommand.revise(try built(RevisePhotoForm.self, []))
        for (existence, refusal) in [(Existence<MessageFields>.none, Refusal.notFound), (.gone, .gone)] {
            #expect(MessageDecider.decide(.see, MessageState(existence: existence)) == .refused(refusal))
            #expect(MessageDecider.decide(.delete, MessageState(existence: existence)) == .refused(refusal))
        }
        for (existence, refusal) in [(Existence<PhotoFields>.none, Refusal.notFound), (.gone, .gone)] {
            #expect(PhotoDecider.decide(revision, PhotoState(existence: existence)) == .refused(refusal))
            #expect(PhotoDecider.decide(.delete, PhotoState(existence: existence)) == .refused(refusal))
        }
    }

    @Test func `a photo's exposure is revised where it differs, as it is written`() throws {
        let state = PhotoState(existence: .live(try row("photo-p1", .added()).withView { PhotoFields($0) }))
        func revise(_ fields: FormFields) throws -> Decision<PhotoEvent> {
            PhotoDecider.decide(.revise(try built(RevisePhotoForm.self, fields)), state)
        }
        #expect(try revise([]) == .unchanged)
        #expect(try revise(.of(["exposureValue": 0, "exposureDuration": "1/125"])) == .unchanged)
        #expect(try revise(.of(["exposureDuration": "2/250"])) != .unchanged)
        let event = PhotoExposureRevised(exposureValue: 1, exposureDuration: nil)
        #expect(try revise(.of(["exposureValue": 1])) == .event(.exposureRevised(event)))
        let taken = PhotoCommand.add(try built(AddPhotoForm.self, Fields.photo("p1")))
        #expect(PhotoDecider.decide(taken, state) == .refused(.idTaken))
        #expect(PhotoDecider.decide(.delete, state) == .event(.deleted))
    }
}
