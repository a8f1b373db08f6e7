import StoryCore
import TestSupport
import Testing

/// The machine behind every subscription, step by step.
@Suite struct SubscriptionTests {
    private func following(from position: UInt64) -> Subscription {
        Subscription(id: SubscriptionID(1), selection: EventSelection(source: .all), from: Position(position))
    }

    @Test func `catch-up meets live once, and live events follow without a word`() {
        var subscription = following(from: 3)
        expect(subscription.phase == .catchingUp)
        expect(subscription.step(head: Position(5), hasRoom: true) == .send(from: Position(3), through: Position(5)))
        subscription.sent(through: Position(5))
        expect(subscription.step(head: Position(5), hasRoom: true) == .sayCaughtUp(Position(5)))
        expect(subscription.phase == .live)
        expect(subscription.step(head: Position(5), hasRoom: true) == .wait)
        expect(subscription.step(head: Position(6), hasRoom: true) == .send(from: Position(6), through: Position(6)))
        subscription.sent(through: Position(6))
        expect(subscription.step(head: Position(6), hasRoom: true) == .wait)
    }

    @Test func `one that is at the head from the start is caught up at once`() {
        var subscription = following(from: 6)
        expect(subscription.step(head: Position(5), hasRoom: true) == .sayCaughtUp(Position(5)))
        expect(subscription.step(head: Position(5), hasRoom: true) == .wait)
    }

    @Test func `a slow reader falls behind once, is told how far, and catches up again`() {
        var subscription = following(from: 1)
        expect(subscription.step(head: .zero, hasRoom: true) == .sayCaughtUp(.zero))
        expect(subscription.step(head: Position(2), hasRoom: false) == .wait)
        expect(subscription.phase == .behind)
        expect(subscription.step(head: Position(9), hasRoom: false) == .wait)
        expect(subscription.step(head: Position(9), hasRoom: true) == .sayBehind(9))
        expect(subscription.phase == .catchingUp)
        expect(subscription.step(head: Position(9), hasRoom: true) == .send(from: Position(1), through: Position(9)))
        subscription.sent(through: Position(4))
        expect(subscription.lag(head: Position(9)) == 5)
        expect(subscription.step(head: Position(9), hasRoom: false) == .wait)
        expect(subscription.phase == .catchingUp, "one that still catches up does not fall behind")
        expect(subscription.step(head: Position(9), hasRoom: true) == .send(from: Position(5), through: Position(9)))
        subscription.sent(through: Position(9))
        expect(subscription.step(head: Position(9), hasRoom: false) == .wait)
        expect(subscription.step(head: Position(9), hasRoom: true) == .sayCaughtUp(Position(9)))
    }

    @Test func `a reader who stands still is behind once much waits for him`() {
        var subscription = following(from: 1)
        expect(subscription.step(head: .zero, hasRoom: true) == .sayCaughtUp(.zero))
        subscription.readerStandsStill(head: Position(1_023))
        expect(subscription.phase == .live)
        subscription.readerStandsStill(head: Position(1_024))
        expect(subscription.step(head: Position(1_030), hasRoom: true) == .sayBehind(1_030))
        subscription.readerStandsStill(head: Position(9_000))
        expect(subscription.phase == .catchingUp)
    }

    @Test func `rows are listed first, then what happened meanwhile comes`() {
        var subscription = Subscription(
            id: SubscriptionID(1), selection: EventSelection(source: .all), subject: .list(.stories, []),
            from: Position(5))
        expect(subscription.isWanting(head: Position(4)))
        expect(subscription.step(head: Position(4), hasRoom: false) == .wait)
        expect(subscription.step(head: Position(4), hasRoom: true) == .list(after: nil))
        subscription.listed(through: [1])
        expect(subscription.step(head: Position(9), hasRoom: true) == .list(after: [1]))
        subscription.listingEnded()
        expect(subscription.step(head: Position(9), hasRoom: true) == .send(from: Position(5), through: Position(9)))
        subscription.sent(through: Position(9))
        expect(subscription.step(head: Position(9), hasRoom: true) == .sayCaughtUp(Position(9)))
        expect(subscription.step(head: Position(9), hasRoom: true) == .wait)
    }

    @Test func `while rows are listed it is known which keys were, afterwards all are`() {
        var list = Subscription(
            id: SubscriptionID(1), selection: EventSelection(source: .all), subject: .list(.stories, []),
            from: Position(5))
        expect(!list.hasListed([0]))
        list.listed(through: [3])
        expect(list.hasListed([2]) && list.hasListed([3]) && !list.hasListed([3, 0]))
        list.listingEnded()
        expect(list.hasListed([9]))
    }

    @Test func `a list that begins again forgets what was listed and taken`() {
        var list = Subscription(
            id: SubscriptionID(1), selection: EventSelection(source: .all), subject: .list(.stories, []),
            from: Position(5))
        list.feed = FeedRange(from: 3, to: 9)
        list.listed(through: [3])
        list.listsAgain()
        expect(list.step(head: Position(9), hasRoom: true) == .list(after: nil))
        expect(list.feed == nil && !list.hasListed([1]))
    }

    @Test func `what was sent never moves it back`() {
        var subscription = following(from: 8)
        subscription.sent(through: Position(3))
        expect(subscription.next == Position(8))
        expect(subscription.lag(head: Position(5)) == 0)
    }
}
