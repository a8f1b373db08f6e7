import StoryCore

/// What the engine knows of one connection.
struct Session: Equatable {
    let peer: Peer
    /// The subscriptions that are on.
    private(set) var subscriptions: Set<SubscriptionID> = []
    private var lastSubscription: UInt64 = 0

    init(peer: Peer) { self.peer = peer }

    /// A number for one more subscription; nil when there are as many as there may be.
    mutating func subscribe(limit: Int) -> SubscriptionID? {
        guard subscriptions.count < limit else { return nil }
        lastSubscription += 1
        let id = SubscriptionID(lastSubscription)
        subscriptions.insert(id)
        return id
    }

    /// False when there is no such subscription.
    mutating func unsubscribe(_ id: SubscriptionID) -> Bool { subscriptions.remove(id) != nil }

    mutating func endAll() -> [SubscriptionID] {
        defer { subscriptions = [] }
        return subscriptions.sorted()
    }
}
