import StoryCore
import StoryEngine
import StoryReactor
import StoryWire

/// The clients: greets them, writes to them what no request that is handled writes, and ends them.
final class Clients {
    let engine: Engine
    let driver: CommitDriver
    let outbox: Outbox
    let connections: Connections
    let publishing: PushScheduler
    let figures: Figures
    let slow: SlowRequests
    let trace: Trace
    /// The writes that a node passes on; nil where this store is none.
    let forwarding: Forwarding?
    private let nodes: NodeRequests?
    /// The source of a replica, or the ordering service of a node; nil for a store of its own.
    private let source: (any PositionSource)?
    private let access: Access
    /// The user who runs the daemon.
    private let owner: UInt32
    private let limits: Limits
    /// The number of clients that have connected.
    private var count: UInt64 = 0
    /// True once a client was refused for lack of room.
    var wasRefused = false
    /// The connections with lines that were not handled on arrival. A share is cut down to four lines where many wait.
    var queue = FairQueue(.requests, leastShare: 4 * .line)
    /// The engine's output, reused for one request after the other.
    let handled: RequestOutput

    init(
        engine: Engine, driver: CommitDriver, outbox: Outbox, connections: Connections, publishing: PushScheduler,
        figures: Figures, slow: SlowRequests, trace: Trace, access: Access, owner: UInt32, limits: Limits,
        nodes: NodeRequests?, source: (any PositionSource)?, forwarding: Forwarding?, output: RequestOutput
    ) {
        (self.engine, self.driver, self.outbox, self.connections) = (engine, driver, outbox, connections)
        (self.publishing, self.figures, self.slow, self.trace) = (publishing, figures, slow, trace)
        (self.access, self.owner, self.limits) = (access, owner, limits)
        (self.nodes, self.source, self.forwarding, handled) = (nodes, source, forwarding, output)
    }

    /// The part that this store has among others; nil for a store of its own.
    var part: ClusterState? { source?.part }

    /// Accepts a client, or refuses it with the reason.
    func connected(_ id: ConnectionID, _ credentials: PeerCredentials, at time: Instant) {
        let credentials = access.trusted(credentials)
        let (role, isNode) = access.standing(of: credentials, owner: owner, nodes)
        // A client on another machine has none.
        let pid = credentials.pid > 0 ? UInt32(exactly: credentials.pid) : nil
        let peer = Peer(uid: credentials.uid, role: role ?? .read, pid: pid)
        let connection = Connection(
            id: id, peer: peer, isNode: isNode, limits: limits, touched: connections.touched)
        connection.conversation?.activity.last = driver.tick
        count += 1
        connection.client = ClientFigures(number: count, credentials, since: time, at: driver.tick)
        let others = connections.liveCount
        connections.insert(connection)
        let output = output(connection)
        if role == nil {
            trace.sayEachSecond("denied", credentials.traced)
            figures.refusals[.denied, default: 0] += 1
            output.reply(.failed(Failure(.denied, access.refusal(of: credentials))), tag: nil, restsOn: .zero)
        } else if engine.connected(peer, beside: others, as: part, into: output) {
            return figures.accepted += 1
        } else {
            figures.refusals[driver.life.isEnding ? .draining : .busy, default: 0] += 1
            wasRefused = true
        }
        connection.client.asked(nil)
        end(connection, .busy)
    }

    // MARK: Requests that wait

    /// Queues connections whose request can be handled now.
    func resume(_ connections: [Connection]) {
        for connection in connections {
            connection.waitIsOver()
            queue.add(connection, hadShare: false)
        }
    }

    func refuse(_ failure: Failure, _ verb: Verb, tag: Tag?, _ connection: Connection) -> Bool {
        connection.client.asked(verb)
        output(connection).reply(.failed(failure), tag: tag, restsOn: .zero)
        return true
    }

    func begin(_ answer: Connection.Answer, _ connection: Connection) {
        connection.answerBegan(answer)
        publishing.answerBegan(connection, durable: driver.acknowledged)
    }

    /// Begins an answer with the daemon's figures; returns the work that it took.
    func tell(_ answer: any AnswerCursor, _ tag: Tag?, _ connection: Connection) -> Work {
        begin(Connection.Answer(cursor: answer, tag: tag, restsOn: .zero), connection)
        return .report
    }

    /// Replies to a request whose background work has ended.
    func answer(_ answer: JobAnswer) {
        guard answer.connection.jobEnded() else { return }
        output(answer.connection).reply(answer.reply, tag: answer.tag, restsOn: .zero)
        slow.answerEnded(answer.connection)
        queue.add(answer.connection, hadShare: false)
    }

    /// Answers a dry run that has ended.
    func answer(_ ended: DefinitionChecks.Ended) {
        let (connection, tag) = (ended.connection, ended.tag)
        switch ended.result {
        case .failure(let failure): answer(JobAnswer(connection: connection, tag: tag, reply: .failed(failure)))
        case .success(let outcome): answer(with: CheckAnswer(outcome), tag, to: connection)
        }
    }

    /// Answers a search that has ended.
    func answer(_ ended: Finding.Ended) {
        let (connection, tag) = (ended.connection, ended.tag)
        switch ended.result {
        case .failure(let failure): answer(JobAnswer(connection: connection, tag: tag, reply: .failed(failure)))
        case .success(let found): answer(with: found, tag, to: connection)
        }
    }

    /// Answers a request whose background work has ended in steps.
    private func answer(with cursor: any AnswerCursor, _ tag: Tag?, to connection: Connection) {
        guard connection.jobEnded() else { return }
        begin(Connection.Answer(cursor: cursor, tag: tag, restsOn: .zero), connection)
        queue.add(connection, hadShare: false)
    }

    /// Returns an output for this connection while none of its requests is handled; rows that it asked for come first.
    /// Without a connection, it is for events that no request asked for.
    func output(_ connection: Connection?) -> RequestOutput {
        engine.flush()
        return handled.another(to: connection)
    }
}

/// The ways in which connections end.
extension Clients {
    /// Ends a connection: fails the request that has no reply yet, ends each subscription, and sends the pending
    /// output.
    ///
    /// - Parameter failure: the reply to that request.
    func end(_ connection: Connection, _ reason: EndReason, _ failure: Failure = .draining) {
        guard !connection.isEnding else { return }
        let output = output(connection)
        endPassingOn(of: connection, failure)
        guard let ended = connection.finishRequested() else { return }
        if case .request(let tag) = ended.unanswered {
            outbox.dropUnfinished(connection)
            output.reply(.failed(failure), tag: tag, restsOn: .zero)
        }
        ended.conversation.session.endSubscriptions(reason, into: output)
        connections.ended(connection, ended.conversation)
    }

    /// Ends a connection with the notice that the daemon is stopping.
    func drain(_ connection: Connection) {
        guard !connection.isEnding else { return }
        end(connection, .draining)
        output(connection).notify(.draining(driver.acknowledged))
    }

    /// Ends a connection that was idle for the given number of seconds, with a notice.
    func endIdle(_ connection: Connection, seconds: Int) {
        end(connection, .idle, Failure(.busy, "nothing was taken for \(seconds) seconds; connect again"))
        output(connection).notify(.idle(seconds: seconds, driver.acknowledged))
    }

    /// Removes a connection that was closed.
    func gone(_ connection: Connection) {
        if let conversation = connection.closed() {
            conversation.session.endWork(isBlamed: true)
            connections.ended(connection, conversation)
        }
        forwarding?.connectionGone(connection)
        connections.remove(connection)
    }
}
