package import StoryCore

/// What the engine knows of one connection: who is there, what it wrote, and what it follows.
package struct Session: Equatable, Sendable {
    package let peer: Peer
    /// The last event that it was or will be told of as its own write.
    package private(set) var lastWritten = Position.zero
    /// The subscriptions that each event may concern.
    package private(set) var active = ActiveSubscriptions()
    /// Those that have everything that was published, until an event of their stream or category comes.
    private var resting: [SubscriptionID: Subscription] = [:]
    /// About how many bytes those take.
    private var restingBytes = 0
    private var lastSubscription: UInt64 = 0
    /// How many are on, active and resting; asked for twice a request.
    package private(set) var subscriptionCount = 0
    /// How many of them are of rows and lists.
    package private(set) var rowSubscriptionCount = 0

    package init(peer: Peer) { self.peer = peer }

    /// It wrote the event at this position.
    package mutating func wrote(_ position: Position) { lastWritten = max(lastWritten, position) }

    /// What it wrote after this position was undone.
    package mutating func rolledBack(to position: Position) {
        lastWritten = min(lastWritten, position)
        for index in 0..<active.count { active.change(index) { $0.rolledBack(to: position) } }
    }

    // MARK: Subscriptions

    /// How many events lie between the head and the subscription that is farthest behind it; 0 without any.
    ///
    /// - Parameter published: everything up to here was shown to those who follow.
    package func lag(head: Position, published: Position) -> UInt64 {
        let rested = resting.first?.value.rested(through: published).lag(head: head) ?? 0
        return active.first.map { max(rested, head < $0 ? 0 : head.value - $0.value + 1) } ?? rested
    }

    /// Those that are on, in the order they were asked for.
    ///
    /// - Parameter published: everything up to here was shown to those who follow.
    package func subscriptions(published: Position) -> [Subscription] {
        let rested = resting.values.map { $0.rested(through: published) }
        return (active.all + rested).sorted { $0.id.value < $1.id.value }
    }

    /// The subscriptions that are farthest behind, in the order they were asked for.
    ///
    /// Only those that are returned are copied: a client may have a thousand.
    ///
    /// - Parameters:
    ///   - limit: the number of subscriptions to return at most.
    ///   - published: everything up to here was shown to those who follow.
    package func slowestSubscriptions(_ limit: Int, published: Position) -> [Subscription] {
        guard subscriptionCount > limit else { return subscriptions(published: published) }
        var slowest = SlowestSubscriptions(limit: limit)
        active.forEach { slowest.add($0, next: $1) }
        for id in resting.keys { slowest.add(id, next: published.next) }
        return slowest.ids.compactMap { id in
            if let rested = resting[id] { return rested.rested(through: published) }
            return active.index(of: id).map { active[$0] }
        }
    }

    /// Follows the log from a position on; nil when there are as many subscriptions as there may be.
    mutating func subscribe(_ query: SubscribeQuery, from next: Position, limit: Int) -> SubscriptionID? {
        guard subscriptionCount < limit else { return nil }
        lastSubscription += 1
        let id = SubscriptionID(lastSubscription)
        active.append(Subscription(id: id, selection: query.selection, subject: query.subject, from: next))
        subscriptionCount += 1
        if !query.subject.isEvents { rowSubscriptionCount += 1 }
        return id
    }

    /// Ends a subscription; returns it as it stood, nil when there is none with this number.
    package mutating func unsubscribe(_ id: SubscriptionID, published: Position) -> Subscription? {
        guard let ended = taken(id, published: published) else { return nil }
        subscriptionCount -= 1
        if !ended.subject.isEvents { rowSubscriptionCount -= 1 }
        return ended
    }

    private mutating func taken(_ id: SubscriptionID, published: Position) -> Subscription? {
        if let rested = takeResting(id) { return rested.rested(through: published) }
        guard let index = active.index(of: id) else { return nil }
        return active.remove(at: index)
    }

    /// Ends every subscription, and tells where each can be gone on with.
    package mutating func endSubscriptions(_ reason: EndReason, into output: any TurnOutput) {
        for subscription in subscriptions(published: output.published) {
            output.push(.end(reason, resume: subscription.next), to: subscription.id)
        }
        active = ActiveSubscriptions()
        (resting, restingBytes) = ([:], 0)
        (subscriptionCount, rowSubscriptionCount) = (0, 0)
    }

    /// Puts aside those that have everything up to the head, and returns them.
    package mutating func rest(at head: Position) -> [Subscription] {
        let rested = active.take { $0.hasAll(through: head) }
        for subscription in rested {
            resting[subscription.id] = subscription
            restingBytes += subscription.keptBytes + Subscription.restingBytes
        }
        return rested
    }

    /// An event may concern one that rests; false where there is none with this number.
    ///
    /// - Parameter published: everything up to here was none of its concern.
    package mutating func wake(_ id: SubscriptionID, published: Position) -> Bool {
        guard let rested = takeResting(id) else { return false }
        active.append(rested.rested(through: published))
        return true
    }

    private mutating func takeResting(_ id: SubscriptionID) -> Subscription? {
        guard let taken = resting.removeValue(forKey: id) else { return nil }
        restingBytes -= taken.keptBytes + Subscription.restingBytes
        return taken
    }

    /// Lets the body change one of those that each event may concern.
    @inline(__always)
    package mutating func withActive<Result, Failure: Error>(
        _ index: Int, _ body: (inout Subscription) throws(Failure) -> Result
    ) throws(Failure) -> Result { try active.change(index, body) }

    /// The reader has not taken what was sent: those for whom much waits by now are behind.
    package mutating func readerStandsStill(head: Position) {
        for index in 0..<active.count { active.change(index) { $0.readerStandsStill(head: head) } }
    }

    /// About how many bytes its subscriptions take.
    package var keptBytes: Int { active.keptBytes + restingBytes }

    /// True for a subscription that rests.
    package func isResting(_ id: SubscriptionID) -> Bool { resting[id] != nil }
}
