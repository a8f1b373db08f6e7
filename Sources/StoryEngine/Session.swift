package import StoryCore

/// The engine's state of one connection: its peer, its last write and its subscriptions.
package struct Session: Equatable, Sendable {
    /// The process at the other end of the connection.
    package let peer: Peer
    /// The uid that writes are made by: the peer's own, or one whose write the peer passes on.
    private(set) var author: UInt32
    /// The last event of a receipt that was or will be sent to it.
    package private(set) var lastWritten = Position.zero
    /// The subscriptions that each event may concern.
    package private(set) var active = ActiveSubscriptions()
    /// The idle subscriptions, by ID: they have everything that was published, and wait for an event of their stream or
    /// category.
    private var resting: [SubscriptionID: Subscription] = [:]
    /// The memory that the idle subscriptions keep, in bytes, estimated.
    private var restingBytes = 0
    private var lastSubscription: UInt64 = 0
    /// The number of subscriptions, active and idle; kept, since each request asks for it twice.
    package private(set) var subscriptionCount = 0
    /// The number of subscriptions to rows and lists.
    package private(set) var rowSubscriptionCount = 0

    /// Creates the session of a new connection.
    package init(peer: Peer) { (self.peer, author) = (peer, peer.uid) }

    /// Takes over the author of the request that is handled next; nil: the peer.
    mutating func writes(as author: UInt32?) { self.author = author ?? peer.uid }

    /// Notes that the connection wrote the event at this position.
    package mutating func wrote(_ position: Position) { lastWritten = max(lastWritten, position) }

    /// Notes that the events after this position were rolled back.
    package mutating func rolledBack(to position: Position) { lastWritten = min(lastWritten, position) }

    // MARK: Subscriptions

    /// Returns the number of events between the slowest subscription and the head; 0 without any.
    ///
    /// - Parameter published: the last position that was shown to subscriptions.
    package func lag(head: Position, published: Position) -> UInt64 {
        let rested = resting.first?.value.rested(through: published).lag(head: head) ?? 0
        return active.first.map { max(rested, head < $0 ? 0 : head.value - $0.value + 1) } ?? rested
    }

    /// Returns all subscriptions, in the order of their IDs.
    ///
    /// - Parameter published: the last position that was shown to subscriptions.
    package func subscriptions(published: Position) -> [Subscription] {
        let rested = resting.values.map { $0.rested(through: published) }
        return (active.all + rested).sorted { $0.id.value < $1.id.value }
    }

    /// Returns the slowest subscriptions, in the order of their IDs.
    ///
    /// Only those that are returned are copied: a client may have a thousand.
    ///
    /// - Parameters:
    ///   - limit: the greatest number of subscriptions to return.
    ///   - published: the last position that was shown to subscriptions.
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

    /// Adds a subscription from a position on; returns nil if the limit is reached.
    mutating func subscribe(_ query: SubscribeQuery, from next: Position, limit: Int) -> SubscriptionID? {
        guard subscriptionCount < limit else { return nil }
        lastSubscription += 1
        let id = SubscriptionID(lastSubscription)
        active.append(Subscription(id: id, selection: query.selection, subject: query.subject, from: next))
        subscriptionCount += 1
        if !query.subject.isEvents { rowSubscriptionCount += 1 }
        return id
    }

    /// Ends a subscription; returns its last state, nil if there is none with this number.
    package mutating func unsubscribe(_ id: SubscriptionID, published: Position) -> Subscription? {
        guard let ended = taken(id, published: published) else { return nil }
        subscriptionCount -= 1
        if !ended.subject.isEvents { rowSubscriptionCount -= 1 }
        ended.subject.holding?.ended(.released(isBlamed: false))
        return ended
    }

    private mutating func taken(_ id: SubscriptionID, published: Position) -> Subscription? {
        if let rested = takeResting(id) { return rested.rested(through: published) }
        guard let index = active.index(of: id) else { return nil }
        return active.remove(at: index)
    }

    /// Ends every subscription, and pushes the position to resume each from.
    package mutating func endSubscriptions(_ reason: EndReason, into output: any TurnOutput) {
        for subscription in subscriptions(published: output.published) {
            // The connection may never learn of one whose reply is not decided.
            if let holding = subscription.subject.holding, holding.restsOn > output.durable { continue }
            output.push(.end(reason, resume: subscription.resume), to: subscription.id)
        }
        endWork(isBlamed: reason.isBlamed)
        active = ActiveSubscriptions()
        (resting, restingBytes) = ([:], 0)
        (subscriptionCount, rowSubscriptionCount) = (0, 0)
    }

    /// Returns the holding of a share; nil where the connection does not hold it.
    func holding(of share: CursorShare) -> Holding? { active.holdings.first { $0.share == share && $0.isHeld } }

    /// Returns the holding that an event was delivered to and is not done; nil where there is none.
    func holding(that mark: CursorMark) -> Holding? {
        active.holdings.first { $0.cursor == mark.cursor && $0.isHeld && $0.hasDelivered(mark.event) }
    }

    /// Frees the shares of cursors that the connection holds, since it ends.
    ///
    /// - Parameter isBlamed: true where the oldest event that is not done counts as failed.
    package func endWork(isBlamed: Bool) {
        for holding in active.holdings { holding.ended(.released(isBlamed: isBlamed)) }
    }

    /// Holds the subscriptions to rows of kinds that a catalogue lacks: nothing is pushed to them until they settle.
    ///
    /// - Parameters:
    ///   - catalogue: the catalogue of the kinds that are left.
    ///   - published: the last position that was shown to subscriptions.
    package mutating func holdSubscriptions(outside catalogue: Catalogue, published: Position) {
        guard rowSubscriptionCount > 0 else { return }
        for subscription in subscriptions(published: published) {
            guard let kind = subscription.subject.kind, catalogue.schema(of: kind) == nil,
                var held = taken(subscription.id, published: published)
            else { continue }
            held.hold()
            active.append(held)
        }
    }

    /// Moves each held subscription to the kind that has the name of its own: it gets `again` and lists from the start.
    /// Where there is none, or one that cannot serve it, the subscription ends, and the position to resume from is pushed.
    ///
    /// - Parameters:
    ///   - removed: the kinds whose subscriptions are held.
    ///   - catalogue: the present catalogue.
    ///   - position: the last durable event.
    ///   - output: receives the pushes.
    package mutating func settleSubscriptions(
        of removed: [Kind: KindSchema], in catalogue: Catalogue, at position: Position, into output: any TurnOutput
    ) {
        guard rowSubscriptionCount > 0 else { return }
        for subscription in subscriptions(published: position) {
            guard let old = subscription.subject.kind.flatMap({ removed[$0] }) else { continue }
            let new = catalogue.kinds.first { $0.name == old.name }
            guard let subject = new.flatMap({ subscription.subject.moved(from: old, to: $0) }) else {
                guard let ended = unsubscribe(subscription.id, published: position) else { continue }
                output.push(.end(.undefined, resume: ended.next), to: ended.id)
                continue
            }
            guard let taken = taken(subscription.id, published: position) else { continue }
            active.append(
                Subscription(id: taken.id, selection: taken.selection, subject: subject, from: position.next))
            output.push(.again(position), to: taken.id)
        }
    }

    /// Makes those subscriptions idle that have everything up to the head, and returns them.
    package mutating func rest(at head: Position) -> [Subscription] {
        let rested = active.take { $0.hasAll(through: head) }
        for subscription in rested {
            resting[subscription.id] = subscription
            restingBytes += subscription.keptBytes + Subscription.restingBytes
        }
        return rested
    }

    /// Makes an idle subscription active, since an event may concern it; returns false if there is no such one.
    ///
    /// - Parameters:
    ///   - published: the last position that did not concern it.
    ///   - feed: the end of the feed's changes that did not concern it.
    package mutating func wake(_ id: SubscriptionID, published: Position, feed: UInt64) -> Bool {
        guard let rested = takeResting(id) else { return false }
        var awake = rested.rested(through: published)
        if awake.feed != nil { awake.feed = FeedRange(from: feed, to: feed) }
        active.append(awake)
        return true
    }

    private mutating func takeResting(_ id: SubscriptionID) -> Subscription? {
        guard let taken = resting.removeValue(forKey: id) else { return nil }
        restingBytes -= taken.keptBytes + Subscription.restingBytes
        return taken
    }

    /// Changes an active subscription in the body.
    @inline(__always)
    package mutating func withActive<Result, Failure: Error>(
        _ index: Int, _ body: (inout Subscription) throws(Failure) -> Result
    ) throws(Failure) -> Result { try active.change(index, body) }

    /// Marks subscriptions with a large backlog as behind: the reader has not taken the output.
    package mutating func readerStandsStill(head: Position) {
        for index in 0..<active.count { active.change(index) { $0.readerStandsStill(head: head) } }
    }

    /// The memory that the subscriptions keep, in bytes, estimated.
    package var keptBytes: Int { active.keptBytes + restingBytes }

    /// Returns whether a subscription is idle.
    package func isResting(_ id: SubscriptionID) -> Bool { resting[id] != nil }
}
