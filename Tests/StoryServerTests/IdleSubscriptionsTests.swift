import StoryCore
import StoryLog
import StoryFold
import StoryReactor
import TestSupport
import Testing

@testable import StoryServer

struct IdleSubscriptionsTests {
    private let bench = MemoryBench()
    private let resting = IdleSubscriptions()

    private func add(_ number: UInt64, _ source: EventSelection.Source, isResting: Bool = true) {
        let follower = IdleSubscriptions.Waiter(
            connection: ConnectionID(number), subscription: SubscriptionID(number))
        let subscription = Subscription(
            id: SubscriptionID(number), selection: EventSelection(source: source), from: Position(1))
        resting.add(follower, of: subscription) { _ in isResting }
    }

    private func taken(from first: UInt64) -> Set<UInt64> {
        var numbers: Set<UInt64> = []
        let none = DurableChanges(maxBytes: 0)
        resting.take(bench.log, from: Position(first), through: bench.log.committed, none, from: 0) {
            numbers.insert($0.subscription.value)
        }
        return numbers
    }

    @Test func `an event wakes those of its stream and of its category, once, and nobody else`() throws {
        var random = SplitMix64(seed: 9)
        try bench.append(200, &random)
        let streams = Set(bench.events.map(\.stream))
        var awaited: Set<UInt64> = []
        for (index, stream) in streams.enumerated() {
            add(UInt64(index), .stream(stream))
            awaited.insert(UInt64(index))
        }
        for (index, name) in ["note", "task", "none"].enumerated() {
            add(1_000 + UInt64(index), .category(name.category))
            if name != "none" { awaited.insert(1_000 + UInt64(index)) }
        }
        // A stream whose name is that of a category, and streams that are not there.
        for number in UInt64(2_000)..<3_000 { add(number, .stream("other-\(number)".stream)) }
        expect(taken(from: 1) == awaited)
        expect(resting.count == 1_001)
        expect(taken(from: 1).isEmpty)
    }

    @Test func `events before those that are looked at wake nobody`() throws {
        var random = SplitMix64(seed: 1)
        try bench.append(10, &random)
        add(1, .stream(try require(bench.events.first).stream))
        expect(taken(from: 11).isEmpty)
        expect(taken(from: 1) == [1])
    }

    @Test func `those that have gone are forgotten, however many came`() {
        for number in UInt64(0)..<100_000 { add(number, .stream("other-\(number)".stream), isResting: false) }
        expect(resting.count <= 1_024)
    }
}
