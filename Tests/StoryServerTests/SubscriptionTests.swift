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

    @Test func `what was sent never moves it back`() {
        var subscription = following(from: 8)
        subscription.sent(through: Position(3))
        #expect(subscription.next == Position(8))
        #expect(subscription.lag(head: Position(5)) == 0)
    }
}
