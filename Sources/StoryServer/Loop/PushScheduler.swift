import StoryCore
import StoryEngine
import StoryLog
import StoryModels
import StoryWire

/// The scheduler of answers and subscriptions: serves one connection after the other, within the turn's budget.
///
/// New answers and new events come first, but leave a share to the continued ones: a short answer waits for no long
/// one.
final class PushScheduler {
    /// The cost in units up to which an answer counts as short, so that the connection's next one comes first again.
    private static let shortUnits = 50

    private let log: any EventLog
    private let trace: Trace
    private let figures: Figures
    private let slow: SlowRequests
    private let connections: Connections
    private let outbox: Outbox
    private let memory: ClientMemory
    private let pushes: SubscriptionPushes
    private let feed: ChangeFeed
    private let encoder: ReplyEncoder
    private let lines: LineWriter
    private let resting = IdleSubscriptions()
    /// The events up to here were pushed to the followers, as far as those read them.
    private(set) var published: Position
    private var budget = Budget.turn
    private var queue = FairQueue(.publishing)

    init(
        log: any EventLog, models: any ServedModels, engine: Engine, encoder: ReplyEncoder, trace: Trace,
        figures: Figures, slow: SlowRequests, connections: Connections, outbox: Outbox, memory: ClientMemory
    ) {
        (self.log, self.encoder, self.trace, self.figures, self.slow) = (log, encoder, trace, figures, slow)
        (self.connections, self.outbox, self.memory) = (connections, outbox, memory)
        lines = LineWriter(encoder)
        feed = engine.feed
        pushes = SubscriptionPushes(
            log: log, index: StreamIndex(models), rows: RowPushes(engine.watcher, RowPushEncoder(encoder.rows)))
        published = log.committed
    }

    /// Gives the next turn a budget of its own.
    func turnEnded() { budget = .turn }

    /// The number of row changes that subscriptions could follow.
    var rowChanges: UInt64 { feed.count }

    /// True while a connection waits for a share.
    var isPending: Bool { queue.count > 0 }

    /// Queues a connection with a new answer or new events.
    func add(_ connection: Connection) { queue.add(connection, hadShare: false) }

    /// Continues a new answer at once where no other connection is before it; else queues it.
    func answerBegan(_ connection: Connection, durable: Position) {
        let isBehind = queue.isWaiting(connection) ? queue.count > 1 : queue.restedCount > 0
        if isBehind || !mayBegin {
            add(connection)
        } else if giveShare(connection, durable) {
            queue.add(connection, hadShare: true)
        }
    }

    /// True while the budget exceeds the share of the continued answers and subscriptions.
    private var mayBegin: Bool { budget.units > Budget.sliceUnits }

    /// Queues a connection whose answer or subscriptions can be continued.
    func goesOn(_ connection: Connection) { queue.add(connection, hadShare: true) }

    /// Gives shares until no connection wants one, or the budget is spent.
    func run(durable: Position) {
        if durable != published { newEvents(through: durable) }
        while !budget.isSpent, let connection = queue.next(restedFirst: mayBegin) {
            if giveShare(connection, durable) { queue.add(connection, hadShare: true) }
        }
    }

    private func newEvents(through durable: Position) {
        let (before, mark) = (published, feed.durable.end)
        published = durable
        feed.becameDurable(through: durable, isWatched: connections.rowSubscriptionCount > 0)
        resting.take(log, from: before.next, through: durable, feed.durable, from: mark) { follower in
            guard let connection = connections[follower.connection],
                connection.session.wake(follower.subscription, published: before, feed: mark)
            else { return }
            connections.subscriptionsChanged(connection)
        }
        for connection in connections.followers { add(connection) }
    }

    /// Gives the connection a share; returns true when it wants another one.
    private func giveShare(_ connection: Connection, _ durable: Position) -> Bool {
        var slice = budget.slice()
        defer { budget.giveBack(slice) }
        // A share without results costs something as well.
        slice.skip()
        switch connection.state {
        case .answering(let answer):
            // After a long answer the connection stays in the round: its next request waits for it.
            return step(answer, connection, &slice) || slice.units < Budget.sliceUnits - PushScheduler.shortUnits
        case .open: return push(to: connection, durable, &slice)
        case .awaiting, .closing, .closed: return false
        }
    }

    // MARK: Answers

    private func step(_ answer: Connection.Answer, _ connection: Connection, _ budget: inout Budget) -> Bool {
        let room = outbox.roomAhead(connection)
        guard room > 0 else { return false }
        do throws(StorageError) {
            let size = connection.output.count + room
            let step = try outbox.append(to: connection) { (bytes) throws(StorageError) in
                try lines.write(to: &bytes, answer.tag, until: size) { () throws(StorageError) in
                    try answer.cursor.step(&budget, into: lines)
                }
            }
            switch step {
            case .more:
                // Output that depends on durable events only can be sent before the answer is complete.
                if answer.restsOn <= published { outbox.close(connection, restsOn: .zero, durable: published) }
                return outbox.roomAhead(connection) > 0
            case .ended(let reply, let position): end(answer, reply, restsOn: position, connection)
            }
        } catch {
            end(answer, .failed(trace.failure(of: error)), restsOn: answer.restsOn, connection)
        }
        return !connection.session.active.isEmpty
    }

    private func end(
        _ answer: Connection.Answer, _ reply: Reply, restsOn position: Position, _ connection: Connection
    ) {
        if case .failed(let failure) = reply {
            figures.failed(failure.code)
            connection.client.failed()
        }
        outbox.write(to: connection, restsOn: position, durable: published) {
            encoder.append(reply, tag: answer.tag, to: &$0)
        }
        connection.answerEnded()
        slow.answerEnded(connection)
    }

    // MARK: Subscriptions

    /// Pushes to the connection's active subscriptions, which share its slice; the first one changes.
    private func push(to connection: Connection, _ durable: Position, _ budget: inout Budget) -> Bool {
        let count = connection.session.active.count
        // A slow client gets no more until it has read everything that was sent.
        guard count > 0 else { return false }
        guard outbox.isTaken(connection) else {
            connection.session.readerStandsStill(head: durable)
            return false
        }
        let size = connection.output.count + outbox.roomAhead(connection)
        let before = connection.output.count
        var isMore = false
        var failed: [(id: SubscriptionID, error: StorageError)] = []
        let first = connection.firstSubscription % count
        for offset in 0..<count {
            guard !budget.isSpent else {
                connection.firstSubscription = (first + offset) % count
                isMore = true
                break
            }
            let index = (first + offset) % count
            do throws(StorageError) {
                let wantsMore = try outbox.append(to: connection) { (bytes) throws(StorageError) in
                    try connection.session.withActive(index) { (subscription) throws(StorageError) in
                        try pushes.publish(
                            &subscription, head: durable, &bytes, until: size, &budget)
                    }
                }
                if wantsMore, connection.output.count < size { isMore = true }
            } catch {
                failed.append((connection.session.active[index].id, error))
            }
        }
        for (id, error) in failed { end(id, error, connection) }
        rest(connection, at: durable)
        if connection.output.count != before { outbox.close(connection, restsOn: .zero, durable: durable) }
        return isMore
    }

    /// Makes the subscriptions idle that have everything: they cost nothing until an event of their stream comes.
    private func rest(_ connection: Connection, at durable: Position) {
        let rested = connection.session.rest(at: durable)
        guard !rested.isEmpty else { return }
        for subscription in rested {
            let follower = IdleSubscriptions.Follower(connection: connection.id, subscription: subscription.id)
            resting.add(follower, of: subscription) {
                connections[$0.connection]?.session.isResting($0.subscription) == true
            }
        }
        connections.subscriptionsChanged(connection)
    }

    /// Ends a subscription whose next events cannot be read; it can be resumed after the last event sent.
    private func end(_ id: SubscriptionID, _ error: StorageError, _ connection: Connection) {
        guard let ended = connection.session.unsubscribe(id, published: published) else { return }
        let reason = EndReason(trace.failure(of: error))
        outbox.append(to: connection) {
            ReplyEncoder.append(.end(reason, resume: ended.next), subscription: id, to: &$0)
        }
        connections.subscriptionsChanged(connection)
    }
}
