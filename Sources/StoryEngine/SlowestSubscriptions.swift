import StoryCore

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
