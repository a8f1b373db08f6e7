import StoryCore
import Testing
import TestSupport

/// The row that a history of one stream comes to.
private func row(_ stream: String, _ bodies: EventBody...) throws -> RowCopy {
    var maker = EventMaker()
    return try require(RowCopy.folded(bodies.map { maker.event(stream, $0) }))
}

/// The command of a write that the kind takes.
/// The command of a write as its kind makes it.
private func command(_ action: ContentAction, of kind: Kind) throws -> ContentCommand {
    let write = ContentWrite(kind: kind, id: nil, action: action, options: WriteOptions())
    return try write.command(of: kind.schema, in: PlainDirectory()).get()
}

struct UserDeciderTests {
    private func aki() throws -> UserFields {
        try row("user-u1", .signedUp(email: "aki@example.org")).withView { UserFields($0) }
    }

    private func signUp() throws -> Command<UserEvent> {
        try built(SignUpForm.self, Fields.user("u1", email: "aki@example.org"))
    }

    private func revise(_ fields: FormFields) throws -> Command<UserEvent> { try built(ReviseUserForm.self, fields) }

    @Test func `given nobody, when somebody signs up, then that happened`() throws {
        let command = try signUp()
        expect(UserDecider.decide(command, on: .none) == .append)
        let event = UserSignedUp(name: Text("Aki"), email: Text("aki@example.org"), prefecture: 13)
        expect(command.event == .signedUp(event))
    }

    @Test func `given a user, when the ID signs up again, then it is taken`() throws {
        expect(UserDecider.decide(try signUp(), on: .live(try aki()), emailIsTaken: true) == .refused(.idTaken))
        expect(UserDecider.decide(try signUp(), on: .gone) == .refused(.idTaken))
    }

    @Test func `given the address with another, when somebody signs up, then it is taken`() throws {
        let decision = UserDecider.decide(try signUp(), on: .none, emailIsTaken: true)
        expect(decision == .refused(.emailTaken(Text("aki@example.org"))))
    }

    @Test func `given a user, when a revision says the same, then nothing changes`() throws {
        expect(UserDecider.decide(try revise([]), on: .live(try aki())) == .unchanged)
        let same: FormFields = .of(["name": "Aki", "email": "aki@example.org", "prefecture": 13])
        expect(UserDecider.decide(try revise(same), on: .live(try aki())) == .unchanged)
    }

    @Test func `given a user, when a field is revised, then that happened`() throws {
        let command = try revise(.of(["email": "AKI@example.org"]))
        expect(UserDecider.decide(command, on: .live(try aki())) == .append)
        expect(command.event == .revised(UserRevised(name: nil, email: Text("AKI@example.org"), prefecture: nil)))
        let move = try revise(.of(["name": "Aki", "prefecture": 1]))
        expect(UserDecider.decide(move, on: .live(try aki())) == .append)
        expect(move.event == .revised(UserRevised(name: Text("Aki"), email: nil, prefecture: 1)))
    }

    @Test func `given another with the address, when it is revised, then it is taken`() throws {
        let command = try revise(.of(["email": "mio@example.org"]))
        let decision = UserDecider.decide(command, on: .live(try aki()), emailIsTaken: true)
        expect(decision == .refused(.emailTaken(Text("mio@example.org"))))
        let move = try revise(.of(["prefecture": 1]))
        expect(UserDecider.decide(move, on: .live(try aki()), emailIsTaken: true) == .append)
    }

    @Test func `given nobody, when a revision comes, then nobody is found`() throws {
        expect(UserDecider.decide(try revise(.of(["prefecture": 1])), on: .none) == .refused(.notFound))
    }
}

struct StoryDeciderTests {
    private func story() throws -> Existence<StoryFields> {
        .live(try row("story-s1", .posted()).withView { StoryFields($0) })
    }

    private func post() throws -> Command<StoryEvent> { try built(PostStoryForm.self, Fields.story("s1")) }
    private func revise(_ fields: FormFields) throws -> Command<StoryEvent> { try built(ReviseStoryForm.self, fields) }
    private func like() throws -> Command<StoryEvent> { try built(LikeForm.self, .of(["user": "u1"])) }
    private func unlike() throws -> Command<StoryEvent> { try built(UnlikeForm.self, .of(["user": "u1"])) }
    private func delete() throws -> Command<StoryEvent> {
        let made = try command(.delete, of: .stories)
        return try require({ if case .story(let command) = made { command } else { nil } }())
    }

    @Test func `given nothing, when a story is posted, then that happened`() throws {
        let command = try post()
        expect(StoryDecider.decide(command, on: .none) == .append)
        let event = StoryPosted(
            title: Text("A title"), message: Text("Once"), sender: "u1".id, recipient: "u2".id, date: nil)
        expect(command.event == .posted(event))
    }

    @Test func `given a story or what is left of it, when its ID is posted, then it is taken`() throws {
        expect(StoryDecider.decide(try post(), on: try story()) == .refused(.idTaken))
        expect(StoryDecider.decide(try post(), on: .gone) == .refused(.idTaken))
    }

    @Test func `given a story, when a revision says the same, then nothing changes`() throws {
        expect(StoryDecider.decide(try revise([]), on: try story()) == .unchanged)
        let same: FormFields = .of(["title": "A title", "message": "Once"])
        expect(StoryDecider.decide(try revise(same), on: try story()) == .unchanged)
    }

    @Test func `given a story, when a field is revised, then that happened`() throws {
        let command = try revise(.of(["message": "Twice"]))
        expect(StoryDecider.decide(command, on: try story()) == .append)
        expect(command.event == .revised(StoryRevised(title: nil, message: Text("Twice"))))
    }

    @Test func `a revision between two spellings of one character is a revision`() throws {
        let composed = try row("story-s1", .posted(title: "\u{E9}")).withView { StoryFields($0) }
        let command = try revise(.of(["title": "e\u{301}"]))
        expect(StoryDecider.decide(command, on: .live(composed)) == .append)
        expect(command.event == .revised(StoryRevised(title: Text("e\u{301}"), message: nil)))
    }

    @Test func `a like counts once, and can be taken back once`() throws {
        let (like, unlike) = (try like(), try unlike())
        expect(StoryDecider.decide(like, on: try story()) == .append)
        expect(like.event == .liked(by: "u1".id))
        expect(StoryDecider.decide(like, on: try story(), isLiked: true) == .unchanged)
        expect(StoryDecider.decide(unlike, on: try story()) == .unchanged)
        expect(StoryDecider.decide(unlike, on: try story(), isLiked: true) == .append)
        expect(unlike.event == .unliked(by: "u1".id))
    }

    @Test func `what is not there cannot be revised, liked or deleted`() throws {
        for command in [try revise(.of(["title": "B"])), try like(), try unlike(), try delete()] {
            expect(StoryDecider.decide(command, on: .none) == .refused(.notFound))
            expect(StoryDecider.decide(command, on: .gone) == .refused(.gone))
        }
        expect(StoryDecider.decide(try delete(), on: try story()) == .append)
        expect(try delete().event == .deleted)
    }
}

struct MessageAndPhotoDeciderTests {
    private func message(_ action: ContentAction) throws -> Command<MessageEvent> {
        let made = try command(action, of: .messages)
        return try require({ if case .message(let command) = made { command } else { nil } }())
    }

    private func photo(_ action: ContentAction) throws -> Command<PhotoEvent> {
        let made = try command(action, of: .photos)
        return try require({ if case .photo(let command) = made { command } else { nil } }())
    }

    @Test func `given nothing, when a message is sent, then that happened`() throws {
        let command = try built(SendMessageForm.self, Fields.message("m1"))
        expect(MessageDecider.decide(command, on: .none) == .append)
        let event = MessageSent(text: Text("Hello"), sender: "u1".id, recipient: "u2".id, story: nil, date: nil)
        expect(command.event == .sent(event))
        expect(MessageDecider.decide(command, on: .gone) == .refused(.idTaken))
    }

    @Test func `a message is seen once`() throws {
        let sent = try row("message-m1", .sent()).withView { MessageFields($0) }
        let seen = try row("message-m1", .sent(), .message(.seen)).withView { MessageFields($0) }
        let (see, delete) = (try message(.see), try message(.delete))
        expect(MessageDecider.decide(see, on: .live(sent)) == .append)
        expect(see.event == .seen)
        expect(MessageDecider.decide(see, on: .live(seen)) == .unchanged)
        expect(MessageDecider.decide(delete, on: .live(seen)) == .append)
        expect(delete.event == .deleted)
    }

    @Test func `what is not there cannot be seen, revised or deleted`() throws {
        let revision = try built(RevisePhotoForm.self, [])
        for (existence, refusal) in [(Existence<MessageFields>.none, Refusal.notFound), (.gone, .gone)] {
            expect(MessageDecider.decide(try message(.see), on: existence) == .refused(refusal))
            expect(MessageDecider.decide(try message(.delete), on: existence) == .refused(refusal))
        }
        for (existence, refusal) in [(Existence<PhotoFields>.none, Refusal.notFound), (.gone, .gone)] {
            expect(PhotoDecider.decide(revision, on: existence) == .refused(refusal))
            expect(PhotoDecider.decide(try photo(.delete), on: existence) == .refused(refusal))
        }
    }

    @Test func `a photo's exposure is revised where it differs, as it is written`() throws {
        let added = Existence.live(try row("photo-p1", .added()).withView { PhotoFields($0) })
        func revise(_ fields: FormFields) throws -> Decision {
            PhotoDecider.decide(try built(RevisePhotoForm.self, fields), on: added)
        }
        expect(try revise([]) == .unchanged)
        expect(try revise(.of(["exposureValue": 0, "exposureDuration": "1/125"])) == .unchanged)
        expect(try revise(.of(["exposureDuration": "2/250"])) == .append)
        expect(try revise(.of(["exposureValue": 1])) == .append)
        let event = PhotoExposureRevised(exposureValue: 1, exposureDuration: nil)
        expect(try built(RevisePhotoForm.self, .of(["exposureValue": 1])).event == .exposureRevised(event))
        expect(PhotoDecider.decide(try built(AddPhotoForm.self, Fields.photo("p1")), on: added) == .refused(.idTaken))
        expect(PhotoDecider.decide(try photo(.delete), on: added) == .append)
        expect(try photo(.delete).event == .deleted)
    }
}
