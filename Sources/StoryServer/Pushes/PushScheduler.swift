import StoryCore
import StoryEngine
import StoryLog
import StoryFold
import StoryWire

/// The scheduler of answers and subscriptions: serves one connection after the other in fair shares of the turn.
///
/// New answers and new events come first, but leave a share to the continued ones: a short answer waits for no long
/// one. Shares are not cut where many wait, since each begins with a search in the log or an index and ends with a send.
final class PushScheduler {
    /// The cost up to which an answer counts as short, so that the connection's next one comes first again.
    private static let short = Work(microseconds: 50)

    private let log: any EventLog
    private let trace: Trace
    private let figures: Figures
    private let slow: SlowRequests
    private let connections: Connections
    private let outbox: Outbox
    private let pushes: SubscriptionPushes
    private let feed: ChangeFeed
    private let encoder: ReplyEncoder
    private let lines: LineWriter
    private let resting = IdleSubscriptions()
    /// The events up to here were pushed to the followers, as far as those read them.
    private(set) var published: Position
    private let engine: Engine
    private var queue = FairQueue(.publishing)
    /// The connections whose answers have rows, and go on once no model has erased ones.
    private var held: [Connection] = []

    init(
        log: any EventLog, models: any ServedModels, engine: Engine, encoder: ReplyEncoder, trace: Trace,
        figures: Figures, slow: SlowRequests, connections: Connections, outbox: Outbox
    ) {
        (self.log, self.encoder, self.trace, self.figures, self.slow) = (log, encoder, trace, figures, slow)
        (self.connections, self.outbox, self.engine, feed) = (connections, outbox, engine, engine.feed)
        lines = LineWriter(encoder)
        pushes = SubscriptionPushes(
            log: log, index: StreamIndex(models), rows: RowPushes(engine.watcher, RowPushEncoder(encoder.rows)),
            work: WorkPushes(log, cursors: CursorTable(models, json: JSONObjectReader()), shares: engine.shares))
        published = log.committed
    }

    /// Gives the next turn work of its own.
    func turnEnded() { queue.turnEnded() }

    /// The number of row changes that subscriptions could follow.
    var rowChanges: UInt64 { feed.count }

    /// True while a connection waits for a share.
    var isPending: Bool { queue.count > 0 }

    /// Queues a connection with a new answer or new events.
    func add(_ connection: Connection) { queue.add(connection, hadShare: false) }

    /// Continues a new answer at once where no other connection is before it; else queues it.
    func answerBegan(_ connection: Connection, durable: Position) {
        guard queue.wouldBeNext(connection) else { return add(connection) }
        if giveShare(connection, durable) { goesOn(connection) }
    }

    /// Queues a connection whose answer or subscriptions can be continued.
    func goesOn(_ connection: Connection) { queue.add(connection, hadShare: true) }

    /// Gives shares until no connection wants one, or no work is left in this turn.
    func run(durable: Position) {
        if durable != published { newEvents(through: durable) }
        if !held.isEmpty, !engine.hasErasedRows {
            for connection in held { add(connection) }
            held = []
        }
        while let connection = queue.next() {
            if giveShare(connection, durable) { goesOn(connection) }
        }
    }

    private func newEvents(through durable: Position) {
        let (before, mark) = (published, feed.durable.end)
        published = durable
        let areLost = feed.becameDurable(through: durable, isWatched: connections.rowSubscriptionCount > 0)
        func wake(_ follower: IdleSubscriptions.Waiter) {
            guard let connection = connections[follower.connection], let conversation = connection.conversation,
                conversation.session.wake(follower.subscription, published: before, feed: mark)
            else { return }
            connections.subscriptionsChanged(connection)
        }
        if areLost { resting.takeRows(wake) }
        resting.take(log, from: before.next, through: durable, feed.durable, from: mark, wake)
        for connection in connections.followers { add(connection) }
    }

    /// Gives the connection a share; returns true when it wants another one.
    private func giveShare(_ connection: Connection, _ durable: Position) -> Bool {
        let share = queue.takeShare()
        lines.budget = share
        defer { queue.giveBack(lines.budget) }
        switch connection.state {
        case .answering(let answer, let conversation):
            // After a long answer the connection stays in the round: its next request waits for it.
            return step(answer, connection, in: conversation) || share - lines.budget > PushScheduler.short
        case .open(let conversation), .awaiting(.position, _, let conversation),
            .awaiting(.forwarded, _, let conversation), .awaiting(.room, _, let conversation),
            .awaiting(.models, _, let conversation), .awaiting(.rollBack, _, let conversation),
            .awaiting(.fold, _, let conversation):
            return push(to: connection, conversation, durable)
        case .awaiting(.job, _, _), .awaiting(.earlierWrites, _, _), .awaiting(.definitions, _, _),
            .awaiting(.moved, _, _), .closing, .closed:
            return false
        }
    }

    // MARK: Answers

    private func step(
        _ answer: Connection.Answer, _ connection: Connection, in conversation: Conversation
    ) -> Bool {
        let room = outbox.roomAhead(connection)
        guard room > 0 else { return false }
        guard !answer.cursor.readsRows || !engine.hasErasedRows else {
            held.append(connection)
            return false
        }
        do throws(StorageError) {
            let size = connection.output.count + room
            let step = try outbox.append(to: connection) { (bytes) throws(StorageError) in
                try lines.write(to: &bytes, answer.tag, until: size) { () throws(StorageError) in
                    try answer.cursor.step(into: lines)
                }
            }
            switch step {
            case .more:
                // Output that depends on durable events only can be sent before the answer is complete.
                if answer.restsOn <= published { outbox.close(connection, restsOn: .zero, durable: published) }
                return outbox.roomAhead(connection) > 0
            case .ended(let reply, let position): end(answer, reply, restsOn: position, connection)
            case .again: connection.answerEnded()
            }
        } catch {
            end(answer, .failed(trace.failure(of: error)), restsOn: answer.restsOn, connection)
        }
        return !conversation.session.active.isEmpty
    }

    private func end(
        _ answer: Connection.Answer, _ reply: Reply, restsOn position: Position, _ connection: Connection
    ) {
        if case .failed(let failure) = reply { figures.failed(failure.code, of: connection) }
        outbox.write(to: connection, restsOn: position, durable: published) {
            encoder.append(reply, tag: answer.tag, to: &$0)
        }
        connection.answerEnded()
        slow.answerEnded(connection)
    }

    // MARK: Subscriptions

    /// Pushes to the connection's active subscriptions, which divide its share; the first one changes.
    private func push(to connection: Connection, _ conversation: Conversation, _ durable: Position) -> Bool {
        let count = conversation.session.active.count
        // A slow client gets no more until it has read everything that was sent.
        guard count > 0 else { return false }
        guard outbox.isTaken(connection) else {
            conversation.session.readerStandsStill(head: durable)
            return false
        }
        if endTaken(connection, conversation) { return true }
        let before = connection.output.count
        let size = before + outbox.roomAhead(connection)
        var isMore = false
        var failed: [(id: SubscriptionID, error: StorageError)] = []
        let first = conversation.firstSubscription % count
        outbox.append(to: connection) { bytes in
            lines.write(to: &bytes, until: size) {
                for offset in 0..<count {
                    let index = (first + offset) % count
                    guard !lines.isSpent else {
                        conversation.firstSubscription = index
                        isMore = true
                        return
                    }
                    do throws(StorageError) {
                        let wantsMore = try conversation.session.withActive(index) { (follower) throws(StorageError) in
                            try pushes.publish(&follower, head: durable, to: lines)
                        }
                        if wantsMore, lines.hasRoom { isMore = true }
                    } catch {
                        failed.append((conversation.session.active[index].id, error))
                    }
                }
            }
        }
        for (id, error) in failed { end(id, error, connection, in: conversation) }
        rest(connection, conversation, at: durable)
        if connection.output.count != before { outbox.close(connection, restsOn: .zero, durable: durable) }
        return isMore
    }

    /// Ends the subscriptions whose share of a cursor was taken away; returns true where there were some.
    private func endTaken(_ connection: Connection, _ conversation: Conversation) -> Bool {
        var taken: [(id: SubscriptionID, reason: EndReason?, resume: Position)] = []
        for index in 0..<conversation.session.active.count {
            let subscription = conversation.session.active[index]
            switch subscription.subject.holding?.end {
            case .taken(let reason): taken.append((subscription.id, reason, pushes.work.resume(of: subscription)))
            case .unsaid: taken.append((subscription.id, nil, .zero))
            case .released, nil: continue
            }
        }
        for (id, reason, resume) in taken {
            _ = conversation.session.unsubscribe(id, published: published)
            guard let reason else { continue }
            outbox.append(to: connection) {
                ReplyEncoder.append(.end(reason, resume: resume), subscription: id, to: &$0)
            }
        }
        guard !taken.isEmpty else { return false }
        outbox.close(connection, restsOn: .zero, durable: published)
        connections.subscriptionsChanged(connection)
        return true
    }

    /// Makes the subscriptions idle that have everything: they cost nothing until an event of their stream comes.
    private func rest(_ connection: Connection, _ conversation: Conversation, at durable: Position) {
        let rested = conversation.session.rest(at: durable)
        guard !rested.isEmpty else { return }
        for subscription in rested {
            let follower = IdleSubscriptions.Waiter(connection: connection.id, subscription: subscription.id)
            resting.add(follower, of: subscription) {
                connections[$0.connection]?.conversation?.session.isResting($0.subscription) == true
            }
        }
        connections.subscriptionsChanged(connection)
    }

    /// Ends a subscription whose next events cannot be read; it can be resumed after the last event sent.
    private func end(
        _ id: SubscriptionID, _ error: StorageError, _ connection: Connection, in conversation: Conversation
    ) {
        guard let ended = conversation.session.unsubscribe(id, published: published) else { return }
        let reason = EndReason(trace.failure(of: error))
        outbox.append(to: connection) {
            ReplyEncoder.append(.end(reason, resume: ended.next), subscription: id, to: &$0)
        }
        connections.subscriptionsChanged(connection)
    }
}
