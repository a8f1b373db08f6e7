import StoryCore
import StoryEngine
import Testing
import TestSupport

/// How much of the models an answer looks at: pages and counts must not cost more as the store grows.
struct CostTests {
    private let world: EngineHarness

    /// 600 messages from u1 to u3, each other one seen, and two from u1 to u2; 600 stories with 600 titles.
    init() {
        var maker = EventMaker()
        var events = [
            maker.event("user-u1", .signedUp(email: "1@x.y")), maker.event("user-u2", .signedUp(email: "2@x.y")),
            maker.event("user-u3", .signedUp(email: "3@x.y")),
        ]
        for number in 0..<600 {
            events.append(maker.event("message-m\(number)", .sent(from: "u1", to: "u3")))
            events.append(maker.event("story-s\(number)", .posted(title: "T\(number)", from: "u1", to: "u3")))
        }
        for number in 600..<602 { events.append(maker.event("message-m\(number)", .sent(from: "u1", to: "u2"))) }
        world = EngineHarness(events)
    }

    private func looks(_ action: RequestAction) -> Int {
        let before = world.store.lookCount
        expect(world.ask(action).failure == nil)
        return world.store.lookCount - before
    }

    // An entry of an index, the ID by its number, the row by its ID: three looks a row.
    @Test func `a page looks at its rows and one more`() throws {
        for kind in [Kind.stories, .messages] {
            for order in [Order.ascending, .descending] {
                expect(looks(.listing(kind, order: order, limit: 10)) <= 34)
                expect(looks(.listing(kind, [.sender("u1".id)], order: order, limit: 10)) <= 34)
                let first = world.ask(.listing(kind, order: order, limit: 500))
                let next = try require(first.next)
                expect(looks(.listing(kind, order: order, limit: 500, after: next)) <= 320)
            }
        }
        expect(looks(.listing(.stories, sort: .title, limit: 10)) <= 34)
        expect(looks(.listing(.messages, [.unseen(true)], limit: 10)) <= 34)
        expect(looks(.listing(.users, [.email("1@x.y".bytes)])) <= 4)
    }

    @Test func `a page that finds nothing ends early`() {
        let none = looks(.listing(.messages, [.sender("u1".id), .unseen(false)], limit: 10))
        // One look for each that might have been few enough to be sorted, then three a row.
        expect(none <= 4 * Limits().looks + 10)
    }

    @Test func `a page of many rows with one sort key looks at each once`() {
        expect(looks(.listing(.stories, sort: .sender, limit: 10)) <= 38)
        expect(looks(.listing(.stories, sort: .likes, limit: 10)) <= 38)
    }

    @Test func `what two filters leave is found by the narrower one`() {
        expect(looks(.listing(.messages, [.sender("u1".id), .recipient("u2".id)])) <= 20)
        expect(looks(.listing(.messages, [.between("u1".id, "u2".id)])) <= 20)
        expect(looks(.listing(.messages, [.between("u2".id, "u1".id), .sender("u1".id)])) <= 20)
        expect(looks(.listing(.stories, [.sender("u1".id), .recipient("u2".id)], sort: .title)) <= 10)
        expect(looks(.counting(.messages, [.sender("u1".id), .recipient("u2".id)])) <= 20)
    }

    @Test func `a kept count is one look`() {
        for filters in [[], [PlainFilter.sender("u1".id)], [.recipient("u3".id)]] {
            expect(looks(.counting(.stories, filters)) == 1)
            expect(looks(.counting(.messages, filters)) == 1)
            expect(looks(.counting(.messages, filters.filter { $0.name == "recipient" } + [.unseen(true)])) == 1)
        }
        expect(looks(.counting(.messages, [.between("u1".id, "u3".id)])) == 1)
        expect(looks(.counting(.messages, [.story("s1".id)])) == 1)
        expect(looks(.counting(.users, [.prefecture(13)])) == 1)
        expect(looks(.counting(.photos, [.owner("u1".id)])) == 1)
    }

    @Test func `a row is found by few looks, however many there are`() {
        expect(looks(.getting(.stories, "s599")) <= 3)
        expect(looks(.liking("s599", by: "u1")) <= 60)
    }
}
