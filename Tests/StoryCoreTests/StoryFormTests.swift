import StoryCore
import Testing
import TestSupport

/// The story that a form's fields come to.
private func posted(_ fields: FormFields) throws -> StoryPosted {
    guard case .posted(let story) = try built(PostStoryForm.self, fields).event else { throw NoSuchEvent() }
    return story
}

/// The message that a form's fields come to.
private func sent(_ fields: FormFields) throws -> MessageSent {
    guard case .sent(let message) = try built(SendMessageForm.self, fields).event else { throw NoSuchEvent() }
    return message
}

/// The photo that a form's fields come to.
private func added(_ fields: FormFields) throws -> PhotoAdded {
    guard case .added(let photo) = try built(AddPhotoForm.self, fields).event else { throw NoSuchEvent() }
    return photo
}

private struct NoSuchEvent: Error {}

struct StoryFormTests {
    private let good = Fields.story("s9")

    @Test func `a good form is a story with just what it says`() throws {
        let command = try built(PostStoryForm.self, good.with("date", "2026-11-20T12:34:56.789+09:00"))
        expect(command.givenID == "s9".id)
        let event = StoryPosted(
            title: Text("A title"), message: Text("Once"), sender: "u1".id, recipient: "u2".id,
            date: "2026-11-20T03:34:56.789Z".instant)
        expect(command.event == .posted(event))
        expect(try posted(good).date == nil)
    }

    @Test(
        arguments: [
            ("id", "a/b", .malformed), ("title", "", .empty), ("title", nil, .missing), ("title", 1, .wrongType),
            ("title", .string(String(repeating: "é", count: 121)), .tooLong),
            ("message", "", .empty), ("message", nil, .missing),
            ("sender", nil, .missing), ("sender", "", .empty), ("sender", "u3", .noSuch), ("sender", "a b", .malformed),
            ("sender", 1, .wrongType), ("recipient", "u3", .noSuch), ("recipient", nil, .missing),
            ("date", "yesterday", .malformed), ("date", "", .malformed), ("date", 1_795_000_000, .wrongType),
            ("likes", 3, .unknownField),
        ] as [(String, JSONMember.Value, FieldRule)])
    func `each wrong field has its rule`(field: String, value: JSONMember.Value, rule: FieldRule) {
        expect(broken(PostStoryForm.self, good.with(field, value)) == [field: rule])
    }

    @Test func `the longest title and message are taken`() {
        let fields = good.with("title", .string(String(repeating: "e\u{301}", count: 120)))
            .with("message", .string(String(repeating: "👨‍👩‍👧‍👦", count: 10_000)))
        expect(broken(PostStoryForm.self, fields) == [:])
    }

    @Test func `a longer message is refused`() {
        let message = String(repeating: "a", count: 10_001)
        expect(broken(PostStoryForm.self, good.with("message", .string(message))) == ["message": .tooLong])
    }

    @Test func `an empty form lacks four fields`() {
        let all: [String: FieldRule] = [
            "title": .missing, "message": .missing, "sender": .missing, "recipient": .missing,
        ]
        expect(broken(PostStoryForm.self, []) == all)
    }

    @Test func `a revision has title and message alone`() throws {
        expect(try built(ReviseStoryForm.self, []).event == .revised(StoryRevised(title: nil, message: nil)))
        let event = try built(ReviseStoryForm.self, .of(["message": "Twice"])).event
        expect(event == .revised(StoryRevised(title: nil, message: Text("Twice"))))
        let all: [String: FieldRule] = ["title": .empty, "sender": .unknownField]
        expect(broken(ReviseStoryForm.self, .of(["title": "", "sender": "u1"])) == all)
    }

    @Test func `a like names a user who exists`() throws {
        expect(try built(LikeForm.self, .of(["user": "u1"])).event == .liked(by: "u1".id))
        expect(broken(LikeForm.self, []) == ["user": .missing])
        expect(broken(LikeForm.self, .of(["user": "u3"])) == ["user": .noSuch])
        expect(broken(LikeForm.self, .of(["user": "u1", "stars": 5])) == ["stars": .unknownField])
    }

    @Test func `its removal names one too`() throws {
        expect(try built(UnlikeForm.self, .of(["user": "u1"])).event == .unliked(by: "u1".id))
        expect(broken(UnlikeForm.self, []) == ["user": .missing])
        expect(broken(UnlikeForm.self, .of(["user": "u3"])) == ["user": .noSuch])
        expect(broken(UnlikeForm.self, .of(["user": "u1", "stars": 5])) == ["stars": .unknownField])
    }
}

struct MessageFormTests {
    private let good = Fields.message("m9", about: "s1")

    @Test func `a good form is a message with just what it says`() throws {
        let command = try built(SendMessageForm.self, good)
        let event = MessageSent(
            text: Text("Hello"), sender: "u1".id, recipient: "u2".id, story: "s1".id, date: nil)
        expect(command.givenID == "m9".id)
        expect(command.event == .sent(event))
        expect(try sent(good.without("story")).story == nil)
        expect(try sent(good.with("story", nil)).story == nil)
    }

    @Test(
        arguments: [
            ("text", nil, .missing), ("text", "", .empty), ("text", false, .wrongType),
            ("sender", "u3", .noSuch), ("recipient", "u3", .noSuch), ("recipient", nil, .missing),
            ("story", "s2", .noSuch), ("story", "", .empty), ("story", "!", .malformed), ("story", 1, .wrongType),
            ("story", .string(String(repeating: "s", count: 65)), .tooLong), ("date", "now", .malformed),
            ("seen", true, .unknownField),
        ] as [(String, JSONMember.Value, FieldRule)])
    func `each wrong field has its rule`(field: String, value: JSONMember.Value, rule: FieldRule) {
        expect(broken(SendMessageForm.self, good.with(field, value)) == [field: rule])
    }

    @Test func `a text has at most 10,000 characters`() {
        let longest = String(repeating: "x", count: 10_000)
        expect(broken(SendMessageForm.self, good.with("text", .string(longest))) == [:])
        expect(broken(SendMessageForm.self, good.with("text", .string(longest + "x"))) == ["text": .tooLong])
    }

    @Test func `a user may write to himself`() {
        expect(broken(SendMessageForm.self, Fields.message(from: "u1", to: "u1")) == [:])
    }
}

struct PhotoFormTests {
    private let good = Fields.photo("p9")

    @Test func `a good form is a photo with just what it says`() throws {
        let fields = good.with("focalLength", 50).with("lensAperture", 1.4).with("flash", "redEye")
        let event = try added(fields)
        expect(event.owner == "u1".id)
        expect(event.iso == 400)
        expect(event.focalLength == 50)
        expect(event.lensAperture == 1.4)
        expect(event.exposureDuration == ExposureDuration(numerator: 1, denominator: 125))
        expect(event.flash == Flash.redEye)
        let bare = try added(good)
        expect(bare.focalLength == nil && bare.lensAperture == nil && bare.flash == nil && bare.date == nil)
        expect(try added(good.with("flash", "none")).flash == Flash.none)
    }

    @Test(
        arguments: [
            ("owner", nil, .missing), ("owner", "u3", .noSuch), ("iso", nil, .missing), ("iso", 0, .outOfRange),
            ("iso", -0.0, .outOfRange), ("iso", -100, .outOfRange), ("iso", "400", .wrongType),
            ("focalLength", 0, .outOfRange), ("focalLength", -1.5, .outOfRange), ("focalLength", "50", .wrongType),
            ("lensAperture", 0, .outOfRange), ("exposureValue", nil, .missing), ("exposureValue", 20.001, .outOfRange),
            ("exposureValue", -21, .outOfRange), ("exposureValue", "0", .wrongType), ("flash", "None", .notSelected),
            ("flash", "", .notSelected), ("flash", 1, .wrongType), ("date", "2026-02-30T00:00:00Z", .malformed),
            ("exposureDuration", nil, .missing), ("exposureDuration", 0.008, .wrongType),
            ("exposureDuration", "0/125", .outOfRange), ("aperture", 2, .unknownField),
        ] as [(String, JSONMember.Value, FieldRule)])
    func `each wrong field has its rule`(field: String, value: JSONMember.Value, rule: FieldRule) {
        expect(broken(AddPhotoForm.self, good.with(field, value)) == [field: rule])
    }

    @Test(arguments: [
        "", "/", "1", "1/", "/125", "1/0", "0/0", "-1/125", "1/-125", "+1/125", "1/125/2", "1.5/125", "1 /125",
        "4294967296/1", "1/4294967296", "99999999999999999999/1", "a/b", "1/１",
    ])
    func `what is no fraction is malformed`(text: String) {
        let fields = good.with("exposureDuration", .string(text))
        expect(broken(AddPhotoForm.self, fields) == ["exposureDuration": .malformed])
    }

    @Test(arguments: [("1/125", 0.008), ("30/1", 30), ("4294967295/4294967295", 1), ("2/250", 0.008)])
    func `a fraction is kept as it was written`(text: String, seconds: Double) throws {
        let event = try added(good.with("exposureDuration", .string(text)))
        expect(event.exposureDuration.text == text)
        expect(event.exposureDuration.seconds == seconds)
        expect(text.bytes.withUnsafeBytes { ExposureDuration($0) } == event.exposureDuration)
    }

    @Test func `the ends of the exposure value are in`() {
        for value in [-20, 20, 0] as [JSONMember.Value] {
            expect(broken(AddPhotoForm.self, good.with("exposureValue", value)) == [:])
        }
    }

    @Test func `a revision has the exposure alone`() throws {
        let event = try built(RevisePhotoForm.self, .of(["exposureValue": -1.5])).event
        expect(event == .exposureRevised(PhotoExposureRevised(exposureValue: -1.5, exposureDuration: nil)))
        let all: [String: FieldRule] = [
            "iso": .unknownField, "exposureValue": .outOfRange, "exposureDuration": .malformed,
        ]
        let fields: FormFields = .of(["iso": 1, "exposureValue": 21, "exposureDuration": "x"])
        expect(broken(RevisePhotoForm.self, fields) == all)
    }
}
