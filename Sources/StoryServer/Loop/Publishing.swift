import StoryAnswers
import StoryCore
import StoryEngine
import StoryLog
import StoryModels
import StoryWire

/// Goes on with answers and subscriptions, one connection after the other, within the turn's budget.
///
/// Answers that begin and new events come first, and leave a share to what goes on: a short answer waits for no long one.
final class Publishing {
    /// What an answer may take, in units, so that the next one of its connection is first again.
    private static let shortUnits = 50

    private let dependency: ServerDependency
    private let connections: Connections
    private let outbox: Outbox
    private let memory: ClientMemory
    private let publisher: Publisher
    private let rows: RowPushes
    private let lines = LineWriter()
    private let resting = RestingFollowers()
    /// Everything up to here was shown to those who follow, as far as they take it.
    private(set) var published: Position
    private var budget = Budget.turn
    @exclusivity(unchecked) private var queue = ShareQueue(.publishing)

    init(_ dependency: ServerDependency, _ connections: Connections, _ outbox: Outbox, _ memory: ClientMemory) {
        self.memory = memory
        self.dependency = dependency
        self.connections = connections
        self.outbox = outbox
        rows = RowPushes(dependency.engine.watcher)
        publisher = Publisher(log: dependency.log, index: StreamIndex(dependency.models), rows: rows)
        published = dependency.log.committed
    }

    /// The next turn has a budget of its own.
    func turnEnded() { budget = .turn }

    /// How many changes of rows were worked out for those who watch them.
    var rowChanges: UInt64 { rows.count }

    /// True while somebody waits for a share.
    var isPending: Bool { queue.count > 0 }

    /// The connection has something new to begin with.
    func add(_ connection: Connection) { queue.add(connection, hadShare: false) }

    /// An answer began: where nobody waits for a share before it, it goes on at once.
    func answerBegan(_ connection: Connection, durable: Position) {
        let isBehind = queue.isWaiting(connection) ? queue.count > 1 : queue.restedCount > 0
        if isBehind || !mayBegin {
            add(connection)
        } else if giveShare(connection, durable) {
            queue.add(connection, hadShare: true)
        }
    }

    /// True while there is more left of the turn than the share of those that go on.
    private var mayBegin: Bool { budget.units > Budget.sliceUnits }

    /// The connection's answer or subscriptions can be gone on with.
    func goesOn(_ connection: Connection) { queue.add(connection, hadShare: true) }

    /// Gives shares until nobody wants one or the budget is spent.
    func run(durable: Position) {
        if durable != published { newEvents(through: durable) }
        if connections.takeUndone() {
            rows.eventsUndone()
            connections.followers.forEach(add)
        }
        while !budget.isSpent, let connection = queue.next(restedFirst: mayBegin) {
            if giveShare(connection, durable) { queue.add(connection, hadShare: true) }
        }
    }

    private func newEvents(through durable: Position) {
        let before = published
        published = durable
        resting.take(dependency.log, from: before.next, through: durable) { follower in
            guard let connection = connections[follower.connection],
                connection.session.wake(follower.subscription, published: before)
            else { return }
            connections.subscriptionsChanged(connection)
        }
        for connection in connections.followers { add(connection) }
    }

    /// True when the connection wants another one.
    private func giveShare(_ connection: Connection, _ durable: Position) -> Bool {
        var slice = budget.slice()
        defer { budget.giveBack(slice) }
        // Also a share that comes to nothing is work.
        slice.skip()
        switch connection.state {
        case .answering(let answer):
            // Who took much keeps its place: what it asks next waits for its round.
            return step(answer, connection, &slice) || slice.units < Budget.sliceUnits - Publishing.shortUnits
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
                // What rests on nothing that could be undone can leave before the answer is whole.
                if answer.restsOn <= published { outbox.close(connection, restsOn: .zero, durable: published) }
                return outbox.roomAhead(connection) > 0
            case .ended(let reply, let position): end(answer, reply, restsOn: position, connection)
            }
        } catch {
            end(answer, .failed(dependency.trace.failure(of: error)), restsOn: answer.restsOn, connection)
        }
        return !connection.session.active.isEmpty
    }

    private func end(
        _ answer: Connection.Answer, _ reply: Reply, restsOn position: Position, _ connection: Connection
    ) {
        if case .failed(let failure) = reply {
            dependency.figures.failed(failure.code)
            connection.client.failed()
        }
        outbox.write(to: connection, restsOn: position, durable: published) {
            ReplyEncoder.append(reply, tag: answer.tag, to: &$0)
        }
        connection.answerEnded()
        dependency.slow.answerEnded(connection)
    }

    // MARK: Subscriptions

    /// All subscriptions of the connection that events may concern share its slice, not always the same one first.
    private func push(to connection: Connection, _ durable: Position, _ budget: inout Budget) -> Bool {
        let count = connection.session.active.count
        // What a slow reader did not take yet is all that is kept for it.
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
                        subscription.remembers = memory.remembers
                        return try publisher.publish(
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

    /// Those that have all wait for an event of their stream or category, and cost nothing until then.
    private func rest(_ connection: Connection, at durable: Position) {
        let rested = connection.session.rest(at: durable)
        guard !rested.isEmpty else { return }
        for subscription in rested {
            let follower = RestingFollowers.Follower(connection: connection.id, subscription: subscription.id)
            resting.add(follower, of: subscription.selection.source) {
                connections[$0.connection]?.session.isResting($0.subscription) == true
            }
        }
        connections.subscriptionsChanged(connection)
    }

    /// What the subscription wants next cannot be read: it ends behind what was sent.
    private func end(_ id: SubscriptionID, _ error: StorageError, _ connection: Connection) {
        guard let ended = connection.session.unsubscribe(id, published: published) else { return }
        let reason = EndReason(dependency.trace.failure(of: error))
        outbox.append(to: connection) {
            ReplyEncoder.append(.end(reason, resume: ended.next), subscription: id, to: &$0)
        }
        connections.subscriptionsChanged(connection)
    }
}
