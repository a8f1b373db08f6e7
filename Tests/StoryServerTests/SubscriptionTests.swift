import StoryCore
import Testing

/// The machine behind every subscription, step by step.
@Suite struct SubscriptionTests {
    private func following(from position: UInt64) -> Subscription {
        Subscription(id: SubscriptionID(1), selection: EventSelection(source: .all), from: Position(position))
    }

    @Test func `catch-up meets live once, and live events follow without a word`() {
        var subscription = following(from: 3)
        #expect(subscription.phase == .catchingUp)
        #expect(subscription.step(head: Position(5), hasRoom: true) == .send(from: Position(3), through: Position(5)))
        subscription.sent(through: Position(5))
        #expect(subscription.step(head: Position(5), hasRoom: true) == .sayCaughtUp(Position(5)))
        #expect(subscription.phase == .live)
        #expect(subscription.step(head: Position(5), hasRoom: true) == .wait)
        #expect(subscription.step(head: Position(6), hasRoom: true) == .send(from: Position(6), through: Position(6)))
        subscription.sent(through: Position(6))
        #expect(subscription.step(head: Position(6), hasRoom: true) == .wait)
    }

    @Test func `one that is at the head from the start is caught up at once`() {
        var subscription = following(from: 6)
        #expect(subscription.step(head: Position(5), hasRoom: true) == .sayCaughtUp(Position(5)))
        #expect(subscription.step(head: Position(5), hasRoom: true) == .wait)
    }

    @Test func `a slow reader falls behind once, is told how far, and catches up again`() {
        var subscription = following(from: 1)
        #expect(subscription.step(head: .zero, hasRoom: true) == .sayCaughtUp(.zero))
        #expect(subscription.step(head: Position(2), hasRoom: false) == .wait)
        #expect(subscription.phase == .behind)
        #expect(subscription.step(head: Position(9), hasRoom: false) == .wait)
        #expect(subscription.step(head: Position(9), hasRoom: true) == .sayBehind(9))
        #expect(subscription.phase == .catchingUp)
        #expect(subscription.step(head: Position(9), hasRoom: true) == .send(from: Position(1), through: Position(9)))
        subscription.sent(through: Position(4))
        #expect(subscription.lag(head: Position(9)) == 5)
        #expect(subscription.step(head: Position(9), hasRoom: false) == .wait)
        #expect(subscription.phase == .catchingUp, "one that still catches up does not fall behind")
        #expect(subscription.step(head: Position(9), hasRoom: true) == .send(from: Position(5), through: Position(9)))
        subscription.sent(through: Position(9))
        #expect(subscription.step(head: Position(9), hasRoom: false) == .wait)
        #expect(subscription.step(head: Position(9), hasRoom: true) == .sayCaughtUp(Position(9)))
    }

    @Test func `rows are listed first, then what happened meanwhile comes, and what was shown is not shown again`() {
        var subscription = Subscription(
            id: SubscriptionID(1), selection: EventSelection(source: .all), subject: .list(.stories, []),
            from: Position(5))
        #expect(subscription.isWanting(head: Position(4)))
        #expect(subscription.step(head: Position(4), hasRoom: false) == .wait)
        #expect(subscription.step(head: Position(4), hasRoom: true) == .list(after: nil))
        subscription.listed(through: [1])
        #expect(subscription.step(head: Position(9), hasRoom: true) == .list(after: [1]))
        subscription.rolledBack()
        #expect(subscription.step(head: Position(9), hasRoom: true) == .list(after: nil))
        let isRemembered = subscription.show(7, as: Position(8), at: Position(4))
        #expect(isRemembered)
        subscription.listingEnded()
        #expect(subscription.step(head: Position(9), hasRoom: true) == .send(from: Position(5), through: Position(9)))
        let shown = [5, 8, 9].map { subscription.wasShown(7, at: Position($0)) }
        #expect(shown == [true, true, false])
        subscription.sent(through: Position(9))
        #expect(subscription.step(head: Position(9), hasRoom: true) == .sayCaughtUp(Position(9)))
        #expect(subscription.step(head: Position(9), hasRoom: true) == .wait)
        subscription.rolledBack()
        #expect(subscription.phase == .live)
    }

    @Test func `of more rows than it remembers, each is shown as it was`() {
        var subscription = following(from: 1)
        var remembered = 0
        for row in 1...5_000 as ClosedRange<UInt64> where subscription.show(row, as: Position(9), at: Position(1)) {
            remembered += 1
        }
        #expect(remembered == 4_096)
        let others = (
            subscription.show(1, as: Position(10), at: Position(2)), subscription.wasShown(5_000, at: Position(9))
        )
        #expect(others == (true, false))
        let again = subscription.show(5_000, as: Position(2), at: Position(2))
        #expect(again, "what is not newer needs no memory")
    }

    @Test func `what was sent never moves it back`() {
        var subscription = following(from: 8)
        subscription.sent(through: Position(3))
        #expect(subscription.next == Position(8))
        #expect(subscription.lag(head: Position(5)) == 0)
    }
}
