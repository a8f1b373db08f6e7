import StoryCore
import StoryEngine
import TestSupport
import Testing

/// Subscriptions that have everything, and wait for an event of their stream or category.
struct RestingSubscriptionTests {
    @Test func `one that rests costs no look, counts, stands where the others stand, and is woken by its number`() {
        let world = smallWorld()
        let all = EventSelection(source: .all)
        let note = EventSelection(source: .stream("note-a".stream))
        for selection in [note, all] { world.ask(.subscribe(SubscribeQuery(selection))) }
        for index in 0..<world.session.active.count {
            _ = world.session.withActive(index) { $0.step(head: Position(3), hasRoom: true) }
        }
        let rested = world.session.rest(at: Position(3))
        expect(rested.map(\.id) == [SubscriptionID(1)])
        expect(world.session.active.all.map(\.id) == [SubscriptionID(2)])
        expect(world.session.subscriptionCount == 2)
        expect(world.session.subscriptions(published: Position(7)).map(\.next) == [Position(8), Position(4)])
        expect(world.session.lag(head: Position(9), published: Position(7)) == 6, "the active one is farther behind")
        expect(world.session.lag(head: Position(3), published: Position(7)) == 0)
        let woken = [2, 1].map { world.session.wake(SubscriptionID($0), published: Position(7), feed: 0) }
        expect(woken == [false, true])
        expect(world.session.active.all.map(\.next) == [Position(4), Position(8)])
        _ = world.session.rest(at: Position(7))
        expect(world.session.lag(head: Position(9), published: Position(8)) == 6)
        let ended = world.session.unsubscribe(SubscriptionID(1), published: Position(9))
        expect(ended?.next == Position(10))
        expect(world.session.subscriptionCount == 1)
        expect(world.session.unsubscribe(SubscriptionID(1), published: Position(9)) == nil)
        expect(world.session.subscriptionCount == 1)
        world.ask(.quit)
        expect(world.session.subscriptionCount == 0)
    }

    @Test(arguments: [1, 2, 3, 9, 10, 40]) func `the slowest are those that a sort of all finds`(limit: Int) {
        let world = smallWorld()
        let note = EventSelection(source: .stream("note-a".stream))
        let all = EventSelection(source: .all)
        for index in 0..<9 { world.ask(.subscribe(SubscribeQuery([1, 6].contains(index) ? note : all))) }
        for index in [0, 3, 4, 8] {
            world.session.withActive(index) { $0.sent(through: Position(UInt64(4 + index / 2))) }
        }
        for index in [1, 6] { _ = world.session.withActive(index) { $0.step(head: Position(3), hasRoom: true) } }
        expect(world.session.rest(at: Position(3)).count == 2)
        let published = Position(6)
        let sorted = world.session.subscriptions(published: published).sorted {
            ($0.next.value, $0.id.value) < ($1.next.value, $1.id.value)
        }
        let expected = sorted.prefix(limit).sorted { $0.id.value < $1.id.value }
        expect(world.session.slowestSubscriptions(limit, published: published) == expected)
    }
}
