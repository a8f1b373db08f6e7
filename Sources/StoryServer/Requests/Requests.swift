import StoryCore
import StoryEngine
import StoryReactor
import StoryStorage
import StoryWire

/// The request loop: takes lines from connections and has the engine handle them.
final class Requests {
    let engine: Engine
    let reader: RequestReader
    private let clock: Clock
    private let figures: Figures
    let slow: SlowRequests
    let trace: Trace
    let transport: any Transport
    private let access: Access
    /// The user who runs the daemon.
    private let owner: UInt32
    private let limits: Limits
    let driver: CommitDriver
    let outbox: Outbox
    let connections: Connections
    let memory: ClientMemory
    let reading: Reading
    let publishing: PushScheduler
    let work: RequestedWork
    let waits: PositionWaits
    /// Makes the source of the figures at one moment.
    let figureSource: (ConnectionSums) -> FigureSource
    let clients = ClientRequests()
    var nodes: NodeRequests?
    /// The writes that a node passes on; nil where this store is none.
    var forwarding: Forwarding?
    /// The work of a turn that is left to connections with a backlog, however many lines arrive.
    private static let leftOver = Work(microseconds: 1_000)

    /// The number of clients that have connected.
    private var clientCount: UInt64 = 0
    /// The memory level at the end of the last turn.
    var level = ClientMemory.Level.plenty
    /// True once a client was refused for lack of room.
    var wasRefused = false
    /// The connections with lines that were not handled on arrival. A share is cut down to four lines where many wait.
    var queue = FairQueue(.requests, leastShare: 4 * .line)
    /// The work that is left of the share of the connection whose lines are handled.
    var left = Work.zero
    private var turn: UInt64 = 0
    private var waiting = WaitingRequests()
    private var turnTime: Instant?
    /// The engine's output, reused for one request after the other.
    private let handled: RequestOutput

    init(
        engine: Engine, reader: RequestReader, clock: Clock, figures: Figures, slow: SlowRequests, trace: Trace,
        transport: any Transport, access: Access, owner: UInt32, limits: Limits, driver: CommitDriver,
        outbox: Outbox, connections: Connections, memory: ClientMemory, publishing: PushScheduler, work: RequestedWork,
        waits: PositionWaits, output: RequestOutput, figureSource: @escaping (ConnectionSums) -> FigureSource
    ) {
        (self.engine, self.reader, self.clock, self.figures) = (engine, reader, clock, figures)
        (self.slow, self.trace, self.transport, self.access) = (slow, trace, transport, access)
        (self.owner, self.limits, self.driver, self.outbox) = (owner, limits, driver, outbox)
        (self.connections, self.memory, self.publishing) = (connections, memory, publishing)
        (self.work, self.waits) = (work, waits)
        reading = Reading(transport, limits, connections, memory)
        (handled, self.figureSource) = (output, figureSource)
    }

    /// True while lines are left over.
    var isPending: Bool { queue.count > 0 }

    /// Returns the time of this turn: events that are committed together have one time.
    func now() -> Instant {
        if let turnTime { return turnTime }
        let time = clock.now()
        turnTime = time
        return time
    }

    /// Gives the next turn time and work of its own.
    func turnEnded() {
        turnTime = nil
        queue.turnEnded()
        turn += 1
    }

    // MARK: Connections

    /// Accepts a client, or refuses it with the reason.
    func connected(_ id: ConnectionID, _ credentials: PeerCredentials) {
        let credentials = access.trusted(credentials)
        let (role, isNode) = access.standing(of: credentials, owner: owner, forwarding)
        let peer = Peer(uid: credentials.uid, role: role ?? .read)
        let connection = Connection(
            id: id, peer: peer, isNode: isNode, limits: limits, touched: connections.touched)
        connection.activity.last = driver.tick
        clientCount += 1
        connection.client = ClientFigures(number: clientCount, credentials, since: now(), at: driver.tick)
        let count = connections.liveCount
        connections.insert(connection)
        let output = output(connection)
        if role == nil {
            trace.sayEachSecond("denied", credentials.traced)
            figures.refusals[.denied, default: 0] += 1
            output.reply(.failed(Failure(.denied, access.refusal(of: credentials))), tag: nil, restsOn: .zero)
        } else if engine.connected(peer, beside: count, into: output) {
            return figures.accepted += 1
        } else {
            figures.refusals[engine.isDraining ? .draining : .busy, default: 0] += 1
            wasRefused = true
        }
        connection.client.asked(nil)
        end(connection, .busy)
    }

    // MARK: Lines

    /// Handles the lines that have arrived, and the end of input; a backlog is queued, so that it yields to others.
    func received(_ connection: Connection) {
        let isBacklog = connection.lines.bufferedCount >= Reading.much && connection.lines.hasBufferedLine
        guard queue.isWaiting(connection) || isBacklog else {
            return takeLines(connection, queue.takeShare(except: Requests.leftOver))
        }
        queue.add(connection, hadShare: true)
    }

    /// Handles lines of the queued connections, as far as the turn's work goes.
    func takeLeftOver() {
        while let connection = queue.next() { takeLines(connection, queue.takeShare()) }
        engine.flush()
        clients.endAsked(of: self)
    }

    /// Handles lines of the connection, up to its share.
    private func takeLines(_ connection: Connection, _ share: Work) {
        let room = outbox.room(connection)
        left = share
        defer { queue.giveBack(left) }
        if connection.taken.turn != turn { connection.taken = (turn, 0) }
        while connection.isOpen, connection.output.count < room {
            guard left > .zero, connection.taken.lines < limits.inflight else {
                queue.add(connection, hadShare: connection.taken.lines > 0)
                break
            }
            let buffered = connection.lines.bufferedCount
            guard takeLine(connection) else { break }
            left -= .line + .received(buffered - connection.lines.bufferedCount)
            connection.taken.lines += 1
            connection.activity.lastLine = driver.tick
        }
        connections.touched.add(connection)
    }

    /// Handles the next line; returns false when there was none to handle.
    private func takeLine(_ connection: Connection) -> Bool {
        let role = connection.session.peer.role
        let isHeld = connection.forwarded > 0
        let outcome = connection.lines.withNextLine(reader, role: role, isHeld: isHeld) { handle($0, connection) }
        if outcome.isRefusal { connection.client.asked(nil) }
        switch outcome {
        case .taken: return true
        case .putBack, .needBytes: return false
        case .held(let tag, let isEnd):
            connection.requestMustWait(for: .forwarded(isEnd: isEnd), tag)
            return false
        case .refuse(let tag, let failure):
            // Events decide which models there are, which of them are being built, and which options they have.
            let basis = engine.models.decide(failure) ? engine.head : engine.changes.position
            output(connection).reply(.failed(failure), tag: tag, restsOn: basis)
        case .refuseWrite(let tag, let failure, let key):
            engine.refuse(failure, key, tag: tag, for: connection.session, into: output(connection))
        case .refuseAndClose(let tag, let failure):
            let reason = EndReason(failure.code.rawValue)
            connection.session.endSubscriptions(reason, into: output(connection))
            output(connection).reply(.failed(failure), tag: tag, restsOn: .zero)
            end(connection, reason)
        case .finished: end(connection, .closed)
        }
        return true
    }

    // MARK: Handling

    /// Has the engine handle a request.
    ///
    /// - Returns: false for a request that has to wait: it reads durable state while its connection's writes or the
    ///   definitions are not durable, or it writes while no writes are accepted, or an event is about to be undone.
    private func handle(_ request: borrowing Request, _ connection: Connection) -> Bool {
        if request.author != nil || connection.forwarded > 0 || !waits.takesWrites,
            let isTaken = forwarding?.look(at: request, of: connection)
        {
            return isTaken
        }
        if let awaited = connection.awaited(by: request, driver, engine) {
            connection.requestMustWait(for: awaited, request.tag)
            slow.mustWait(connection)
            waiting.append(connection)
            return false
        }
        if waits.concern(request, of: connection) {
            switch waits.look(at: request, of: connection, acknowledged: driver.acknowledged, tick: driver.tick) {
            case .met: break
            case .mustWait:
                slow.mustWait(connection)
                return false
            case .late(let failure): return refuse(failure, request.verb, tag: request.tag, connection)
            }
        }
        guard request.verb.isWrite, driver.declared.folds.mayConcern else { return answer(request, connection) }
        return driver.declared.folds.answer(request, connection, handled, by: self)
    }

    /// Has the engine answer a request that waits for nothing.
    ///
    /// - Parameter time: the time of its events; nil for that of the turn.
    func answer(_ request: borrowing Request, _ connection: Connection, at time: Instant? = nil) -> Bool {
        let verb = request.verb
        if let failure = memory.refusal(of: verb, of: connection) {
            return refuse(failure, verb, tag: request.tag, connection)
        }
        let isTimed = figures.handled(verb)
        connection.client.asked(verb)
        let began = isTimed ? clock.steady() : nil
        let followed = connection.session.subscriptionCount
        handled.begin(connection, verb, isTimed: isTimed)
        engine.handle(request, from: &connection.session, now: time ?? now(), into: handled)
        handled.end()
        left -= .written(handled.takeWritten()) + driver.declared.served.takeSpent()
        guard !handled.isRowWanted else { return true }
        if let began { figures.took(verb, nanoseconds: clock.steady() - began) }
        if connection.session.subscriptionCount != followed {
            connections.subscriptionsChanged(connection)
            publishing.add(connection)
        }
        guard handled.hasFollowUp else {
            slow.replied(verb, reader.given, connection)
            return true
        }
        slow.answerBegan(verb, reader.given, connection)
        switch handled.takeFollowUp() {
        case .answer(let answer)?: begin(answer, connection)
        case .work(let work, let position, let tag)?: start(work, at: position, tag, connection)
        case .end?: end(connection, .quit)
        case nil: break
        }
        if connection.isOpen { slow.answerEnded(connection) }
        return true
    }

    func begin(_ answer: Connection.Answer, _ connection: Connection) {
        connection.answerBegan(answer)
        publishing.answerBegan(connection, durable: driver.acknowledged)
    }

    /// Queues the requests that waited for this position, for later events to be undone, or for room.
    func resume(at durable: Position) {
        forwarding?.reached(durable)
        resume(waiting.takeReady(at: durable, driver, engine) + waits.takeReached(durable))
    }

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

    /// Returns an output for this connection while none of its requests is handled; rows that it asked for come first.
    /// Without a connection, it is for events that no request asked for.
    func output(_ connection: Connection?) -> RequestOutput {
        engine.flush()
        return handled.another(to: connection)
    }
}

extension LineOutcome {
    /// True for a line that is answered with a failure.
    fileprivate var isRefusal: Bool {
        switch self {
        case .refuse, .refuseWrite, .refuseAndClose: true
        case .taken, .putBack, .held, .needBytes, .finished: false
        }
    }
}
