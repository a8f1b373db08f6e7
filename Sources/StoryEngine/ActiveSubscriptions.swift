package import StoryCore

/// The subscriptions of a session that each event may concern, with sums over them that are kept as they change.
package struct ActiveSubscriptions: Equatable, Sendable {
    private var subscriptions: [Subscription] = []
    /// Where each goes on, so that the one that is farthest behind is found without a look at all that they are.
    private var positions: [UInt64] = []
    /// About how many bytes they take.
    private(set) var keptBytes = 0

    package var count: Int { subscriptions.count }
    package var isEmpty: Bool { subscriptions.isEmpty }
    package var all: [Subscription] { subscriptions }

    package subscript(index: Int) -> Subscription { subscriptions[index] }

    /// Calls the body with the ID of each, and with the first position that it has not looked at; copies none of them.
    func forEach(_ body: (SubscriptionID, _ next: Position) -> Void) {
        for index in subscriptions.indices { body(subscriptions[index].id, Position(positions[index])) }
    }

    /// The first position that was not looked at for one of them; nil without any.
    var first: Position? { positions.min().map { Position($0) } }

    /// True where one of them has something to be sent once its reader has room.
    package func areWanting(head: Position) -> Bool { subscriptions.contains { $0.isWanting(head: head) } }

    /// The index of the one with this number; nil where there is none.
    func index(of id: SubscriptionID) -> Int? { subscriptions.firstIndex { $0.id == id } }

    /// Lets the body change one of them.
    @inline(__always)
    mutating func change<Result, Failure: Error>(
        _ index: Int, _ body: (inout Subscription) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let before = subscriptions[index].keptBytes
        defer {
            positions[index] = subscriptions[index].next.value
            keptBytes += subscriptions[index].keptBytes - before
        }
        return try body(&subscriptions[index])
    }

    mutating func append(_ subscription: Subscription) {
        subscriptions.append(subscription)
        positions.append(subscription.next.value)
        keptBytes += subscription.keptBytes
    }

    /// Takes one out; the others stay in their order.
    mutating func remove(at index: Int) -> Subscription {
        positions.remove(at: index)
        let removed = subscriptions.remove(at: index)
        keptBytes -= removed.keptBytes
        return removed
    }

    /// Takes out those that pass a test, and returns them; the others may change their order.
    mutating func take(where isTaken: (Subscription) -> Bool) -> [Subscription] {
        var taken: [Subscription] = []
        var index = 0
        while index < subscriptions.count {
            guard isTaken(subscriptions[index]) else {
                index += 1
                continue
            }
            subscriptions.swapAt(index, subscriptions.count - 1)
            positions.swapAt(index, positions.count - 1)
            taken.append(subscriptions.removeLast())
            positions.removeLast()
        }
        keptBytes -= taken.reduce(0) { $0 + $1.keptBytes }
        return taken
    }
}
