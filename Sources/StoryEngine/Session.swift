package import StoryCore

/// What the engine knows of one connection: who is there, what it wrote, and what it follows.
package struct Session: Equatable, Sendable {
    package let peer: Peer
    /// The last event that it was or will be told of as its own write.
    package private(set) var lastWritten = Position.zero
    /// The subscriptions that are on, in the order they were asked for.
    package var subscriptions: [Subscription] = []
    private var lastSubscription: UInt64 = 0

    package init(peer: Peer) { self.peer = peer }

    /// It wrote the event at this position.
    package mutating func wrote(_ position: Position) { lastWritten = max(lastWritten, position) }

    /// What it wrote after this position was undone.
    package mutating func rolledBack(to position: Position) {
        lastWritten = min(lastWritten, position)
        for index in subscriptions.indices { subscriptions[index].rolledBack() }
    }

    /// Follows the log from a position on; nil when there are as many subscriptions as there may be.
    mutating func subscribe(_ query: SubscribeQuery, from next: Position, limit: Int) -> SubscriptionID? {
        guard subscriptions.count < limit else { return nil }
        lastSubscription += 1
        let id = SubscriptionID(lastSubscription)
        subscriptions.append(
            Subscription(id: id, selection: query.selection, subject: query.subject, from: next))
        return id
    }

    /// Ends a subscription; returns it as it stood, nil when there is none with this number.
    package mutating func unsubscribe(_ id: SubscriptionID) -> Subscription? {
        guard let index = subscriptions.firstIndex(where: { $0.id == id }) else { return nil }
        return subscriptions.remove(at: index)
    }
}

extension Session {
    /// Ends every subscription, and tells where each can be gone on with.
    package mutating func endSubscriptions(_ reason: EndReason, into output: any TurnOutput) {
        for subscription in subscriptions {
            output.push(.end(reason, resume: subscription.next), to: subscription.id)
        }
        subscriptions = []
    }
}
