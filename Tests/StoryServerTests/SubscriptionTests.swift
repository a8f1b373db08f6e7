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

    @Test func `a reader who stands still is behind once much waits for him`() {
        var subscription = following(from: 1)
        #expect(subscription.step(head: .zero, hasRoom: true) == .sayCaughtUp(.zero))
        subscription.readerStandsStill(head: Position(1_023))
        #expect(subscription.phase == .live)
        subscription.readerStandsStill(head: Position(1_024))
        #expect(subscription.step(head: Position(1_030), hasRoom: true) == .sayBehind(1_030))
        subscription.readerStandsStill(head: Position(9_000))
        #expect(subscription.phase == .catchingUp)
    }

    @Test func `rows are listed first, then what happened meanwhile comes, and what was shown is not shown again`() {
        var subscription = Subscription(
            id: SubscriptionID(1), selection: EventSelection(source: .all), subject: .list(.stories, []),
            from: Position(5))
        #expect(subscription.isWanting(head: Position(4)))
        #expect(subscription.step(head: Position(4), hasRoom: false) == .wait)
        #expect(subscription.step(head: Position(4), hasRoom: true) == .list(after: nil))
        subscription.listed(through: [1])
        subscription.listingStepped(durable: Position(9), head: Position(9), isWhole: false)
        #expect(subscription.step(head: Position(9), hasRoom: true) == .list(after: [1]))
        let isRemembered = subscription.show(7, as: Position(8), at: Position(4))
        #expect(isRemembered)
        subscription.listingEnded()
        #expect(subscription.step(head: Position(9), hasRoom: true) == .send(from: Position(5), through: Position(9)))
        let shown = [5, 8, 9].map { subscription.wasShown(7, at: Position($0)) }
        #expect(shown == [true, true, false])
        subscription.sent(through: Position(9))
        #expect(subscription.step(head: Position(9), hasRoom: true) == .sayCaughtUp(Position(9)))
        #expect(subscription.step(head: Position(9), hasRoom: true) == .wait)
        subscription.rolledBack(to: Position(9))
        #expect(subscription.phase == .live)
    }

    private func listing(from position: UInt64) -> Subscription {
        Subscription(
            id: SubscriptionID(1), selection: EventSelection(source: .all), subject: .list(.stories, []),
            from: Position(position))
    }

    private func step(_ list: inout Subscription, _ key: [UInt8], durable: UInt64, head: UInt64) {
        list.listed(through: key)
        list.listingStepped(durable: Position(durable), head: Position(head), isWhole: false)
    }

    private func told(_ list: Subscription, _ key: UInt8, since: UInt64, until: UInt64) -> ToldRow {
        list.told(of: [key], since: Position(since), until: Position(until))
    }

    @Test func `what left a list before it was shown was not told of, what left it after that was`() {
        var list = listing(from: 5)
        #expect(list.isInDoubt && list.isAhead([0]))
        step(&list, [1], durable: 4, head: 4)
        #expect(!list.isAhead([1]) && list.isAhead([2]))
        step(&list, [3], durable: 6, head: 6)
        step(&list, [5], durable: 8, head: 9)
        let (second, third) = (Position(6), Position(8))
        // Shown when nothing had happened, shown at 6, shown at 8 out of an index of 9, and to be shown yet.
        #expect(told(list, 1, since: 1, until: 5) == .yes)
        #expect(told(list, 3, since: 1, until: 6) == .ifListed(durable: second, head: second))
        #expect(told(list, 3, since: 1, until: 7) == .yes)
        #expect(told(list, 5, since: 1, until: 9) == .ifListed(durable: third, head: Position(9)))
        #expect(told(list, 5, since: 9, until: 9) == .yes, "an event told of it")
        #expect(told(list, 5, since: 1, until: 10) == .yes)
        #expect(told(list, 6, since: 1, until: 10) == .no)
        list.listingStepped(durable: Position(8), head: Position(9), isWhole: true)
        #expect(told(list, 6, since: 1, until: 8) == .ifListed(durable: third, head: Position(9)))
        list.sent(through: Position(8))
        #expect(list.isInDoubt)
        list.sent(through: Position(9))
        #expect(!list.isInDoubt)
        #expect(told(list, 6, since: 1, until: 9) == .yes)
    }

    @Test func `a long list remembers some steps, then it looks at what happened, and goes on`() {
        var list = listing(from: 5)
        var steps: UInt8 = 0
        while list.step(head: Position(UInt64(steps) + 5), hasRoom: true) == .list(after: steps == 0 ? nil : [steps]) {
            steps += 1
            step(&list, [steps], durable: UInt64(steps) + 5, head: UInt64(steps) + 5)
        }
        #expect(steps == 16)
        let head = Position(70)
        #expect(list.step(head: head, hasRoom: true) == .send(from: Position(5), through: head))
        list.sent(through: Position(20))
        #expect(list.step(head: head, hasRoom: true) == .send(from: Position(21), through: head))
        list.sent(through: Position(21))
        #expect(list.step(head: head, hasRoom: true) == .list(after: [16]))
        #expect(told(list, 16, since: 1, until: 70) == .yes && told(list, 17, since: 1, until: 70) == .no)
    }

    @Test func `a list is shown once more where an index was walked that is undone, and all counts as told`() {
        var list = listing(from: 5)
        step(&list, [1], durable: 4, head: 7)
        list.rolledBack(to: Position(7))
        #expect(list.step(head: Position(7), hasRoom: true) == .list(after: [1]))
        list.rolledBack(to: Position(4))
        #expect(list.step(head: Position(4), hasRoom: true) == .list(after: nil))
        #expect(!list.isAhead([1]) && told(list, 1, since: 1, until: 5) == .yes)
        list.listed(through: [9])
        list.listingStepped(durable: Position(5), head: Position(6), isWhole: true)
        #expect(told(list, 1, since: 1, until: 5) == .yes)
        list.rolledBack(to: Position(5))
        #expect(list.step(head: Position(5), hasRoom: true) == .list(after: nil))
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
