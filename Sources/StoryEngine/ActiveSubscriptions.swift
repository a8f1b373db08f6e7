package import StoryCore

/// The active subscriptions of a session, which each event may concern, with running sums over them.
package struct ActiveSubscriptions: Equatable, Sendable {
    private var subscriptions: [Subscription] = []
    /// The next position of each, in an array of its own, so that the slowest is found without a pass over the large
    /// subscriptions.
    private var positions: [UInt64] = []
    /// The memory that they keep, in bytes, estimated.
    private(set) var keptBytes = 0

    /// The number of subscriptions.
    package var count: Int { subscriptions.count }
    /// True without any subscription.
    package var isEmpty: Bool { subscriptions.isEmpty }
    /// All subscriptions, in the order of their indexes.
    package var all: [Subscription] { subscriptions }

    /// The shares of cursors that they hold.
    package var holdings: [Holding] { subscriptions.compactMap { $0.subject.holding } }

    /// The subscription at an index.
    package subscript(index: Int) -> Subscription { subscriptions[index] }

    /// Calls the body with the ID of each and the next position that it has not looked at; copies none of them.
    func forEach(_ body: (SubscriptionID, _ next: Position) -> Void) {
        for index in subscriptions.indices { body(subscriptions[index].id, Position(positions[index])) }
    }

    /// The least next position of all; nil without any.
    var first: Position? { positions.min().map { Position($0) } }

    /// Returns whether one of them has something to send once its reader has room.
    package func areWanting(head: Position) -> Bool { subscriptions.contains { $0.isWanting(head: head) } }

    /// Returns the index of the subscription with this number; nil if there is none.
    func index(of id: SubscriptionID) -> Int? { subscriptions.firstIndex { $0.id == id } }

    /// Changes one of them in the body, and updates the sums.
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

    /// Removes one; the others keep their order.
    mutating func remove(at index: Int) -> Subscription {
        positions.remove(at: index)
        let removed = subscriptions.remove(at: index)
        keptBytes -= removed.keptBytes
        return removed
    }

    /// Removes and returns those that pass a test; the others may change their order.
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

/// The subscriptions that are farthest behind of those that were added, up to a limit.
struct SlowestSubscriptions {
    private let limit: Int
    /// The kept subscriptions, the slowest first; of two that are equally far behind, the older one first.
    private var slowest: [(next: Position, id: SubscriptionID)] = []

    /// - Parameter limit: the greatest number of subscriptions to keep.
    init(limit: Int) { self.limit = limit }

    /// The IDs of the kept subscriptions, in ascending order.
    var ids: [SubscriptionID] { slowest.map(\.id).sorted { $0.value < $1.value } }

    /// Adds a subscription, and drops the one that is least far behind if there are more than the limit.
    mutating func add(_ id: SubscriptionID, next: Position) {
        if slowest.count == limit {
            guard let last = slowest.last, (next.value, id.value) < (last.next.value, last.id.value) else { return }
            slowest.removeLast()
        }
        let index = slowest.lastIndex { ($0.next.value, $0.id.value) < (next.value, id.value) }.map { $0 + 1 } ?? 0
        slowest.insert((next, id), at: index)
    }
}
