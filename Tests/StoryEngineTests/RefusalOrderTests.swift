import StoryCore
import StoryEngine
import Testing
import TestSupport

/// Where more than one refusal applies, the first of these is given: `keyReused`, `notFound` or `gone`, `invalid`,
/// `exists`, `conflict`.
struct RefusalOrderTests {
    private let world = smallWorld()

    init() { world.ask(.append("note-a", "Noted", key: "used")) }

    @Test func `a used key comes before everything`() {
        let answers = [
            world.ask(.editing(.stories, "s9", ["title": ""], key: "used", version: 9)),
            world.ask(.post(.stories, .of(["id": "s1"]), .with(key: "used", version: 9))),
            world.ask(.post(.users, Fields.user("u1"), .with(key: "used"))),
            world.ask(.deleting(.stories, "s9", key: "used")),
        ]
        for answer in answers {
            expect(answer.code == .keyReused)
            expect(answer.failure?.detail == .position(Position(4)))
        }
    }

    @Test func `not found comes before a wrong form and a wrong version`() {
        expect(world.ask(.editing(.stories, "s9", ["title": ""], version: 9)).code == .notFound)
        expect(world.ask(.like(.stories, "s9".id, [], .with(version: 9))).code == .notFound)
    }

    @Test func `gone comes before a wrong form and a wrong version`() {
        world.ask(.deleting(.stories, "s1"))
        expect(world.ask(.editing(.stories, "s1", ["title": ""], version: 9)).code == .gone)
        expect(world.ask(.liking("s1", by: "nobody", version: 9)).code == .gone)
    }

    @Test func `a wrong form comes before a taken ID, a taken address and a wrong version`() {
        expect(world.ask(.post(.stories, Fields.story("s1").with("title", ""), .with(version: 9))).code == .invalid)
        let fields = Fields.user("u1", email: "u2@example.org").with("prefecture", 0)
        expect(world.ask(.post(.users, fields, .with(version: 9))).code == .invalid)
        expect(world.ask(.editing(.users, "u1", ["name": "", "email": "u2@example.org"])).code == .invalid)
    }

    @Test func `what exists comes before a wrong version`() {
        expect(world.ask(.post(.stories, Fields.story("s1"), .with(version: 9))).code == .exists)
        expect(world.ask(.post(.stories, Fields.story("s1"), .with(version: 0))).code == .exists)
        expect(world.ask(.editing(.users, "u1", ["email": "u2@example.org"], version: 9)).code == .exists)
    }

    @Test func `a conflict comes before nothing to change`() {
        expect(world.ask(.editing(.stories, "s1", [:], version: 9)).code == .conflict)
        expect(world.ask(.unliking("s1", by: "u1")).isUnchanged)
    }

    @Test func `a refused write leaves its key unused`() {
        expect(world.ask(.editing(.stories, "s9", ["title": "B"], key: "k")).code == .notFound)
        expect(world.ask(.editing(.stories, "s1", ["title": ""], key: "k")).code == .invalid)
        expect(world.ask(.editing(.stories, "s1", ["title": "B"], key: "k", version: 9)).code == .conflict)
        expect(world.ask(.editing(.stories, "s1", ["title": "B"], key: "k")).receipt?.repeated == false)
    }
}
