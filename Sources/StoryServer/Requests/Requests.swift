import StoryCore
import StoryEngine
import StoryReactor
import StoryStorage
import StoryWire

/// The request loop: takes lines from connections and has the engine handle them.
final class Requests {
    let dependency: ServerDependency
    let driver: CommitDriver
    let outbox: Outbox
    let connections: Connections
    let memory: ClientMemory
    let reading: Reading
    let publishing: PushScheduler
    let checkpoints: Checkpoints
    let jobs: Jobs
    let figureAnswers: FigureAnswers
    /// The work of a turn, in units: a small request costs one.
    private static let turnUnits = 256
    /// The units of a turn for lines that are handled on arrival.
    private static let arrivingUnits = 128
    /// The units of a turn for connections that had a share before, however many others come.
    private static let leftOverUnits = 32
    /// The range of a connection's share in units, and the sum that all waiting connections divide.
    private static let (share, allShares) = (4...32, 2_048)
    /// The bytes of a line, or of its answer, that cost one unit.
    static let unitSize = 4_096
    /// The cost in units of a long reply that is written at once, such as a report or the help.
    static let longUnits = 32

    /// The number of clients that have connected.
    private var clientCount: UInt64 = 0
    /// The memory level at the end of the last turn.
    var level = ClientMemory.Level.plenty
    /// True once a client was refused for lack of room.
    var wasRefused = false
    /// The connections with lines that were not handled on arrival.
    @exclusivity(unchecked) var queue = FairQueue(.requests)
    /// The units that the turn has spent.
    @exclusivity(unchecked) var spent = 0
    @exclusivity(unchecked) private var turn: UInt64 = 0
    private var waiting = WaitingRequests()
    @exclusivity(unchecked) private var turnTime: Instant?
    /// The engine's output, reused for one request after the other.
    let handled: RequestOutput
    /// The batch of the last requests for rows; it is answered before anything else is done.
    @exclusivity(unchecked) var rowRequests = RowRequests()

    init(
        _ dependency: ServerDependency, _ driver: CommitDriver, _ connections: Connections, _ outbox: Outbox,
        _ memory: ClientMemory, _ publishing: PushScheduler, _ checkpoints: Checkpoints, _ jobs: Jobs
    ) {
        self.dependency = dependency
        self.driver = driver
        self.connections = connections
        (self.outbox, self.memory) = (outbox, memory)
        reading = Reading(dependency.transport, dependency.configuration.limits, connections, memory)
        self.publishing = publishing
        (self.checkpoints, self.jobs) = (checkpoints, jobs)
        figureAnswers = FigureAnswers(
            dependency: dependency, driver: driver, connections: connections, outbox: outbox, memory: memory,
            publishing: publishing, checkpoints: checkpoints)
        handled = RequestOutput(dependency, driver, publishing, outbox)
    }

    var limits: Limits { dependency.configuration.limits }

    /// True while lines are left over.
    var isPending: Bool { queue.count > 0 }

    /// Returns the time of this turn: events that are committed together have one time.
    func now() -> Instant {
        if let turnTime { return turnTime }
        let time = dependency.clock.now()
        turnTime = time
        return time
    }

    /// Gives the next turn its own time and units.
    func turnEnded() {
        turnTime = nil
        spent = 0
        turn += 1
    }

    // MARK: Connections

    /// Accepts a client, or refuses it with the reason.
    func connected(_ id: ConnectionID, _ credentials: PeerCredentials) {
        let role = dependency.configuration.access.role(of: credentials, owner: dependency.uid)
        let peer = Peer(uid: credentials.uid, role: role ?? .read)
        let connection = Connection(id: id, peer: peer, limits: limits, touched: connections.touched)
        connection.activity.last = driver.tick
        clientCount += 1
        connection.client = ClientFigures(number: clientCount, credentials, since: now(), at: driver.tick)
        let count = connections.liveCount
        connections.insert(connection)
        let output = output(connection)
        if role == nil {
            dependency.trace.sayEachSecond("denied", ["uid": "\(peer.uid)"])
            dependency.figures.refused(.denied)
            let reason = dependency.configuration.access.refusal(of: credentials)
            output.reply(.failed(Failure(.denied, reason)), tag: nil, restsOn: .zero)
        } else if dependency.engine.connected(peer, beside: count, into: output) {
            return dependency.figures.connected()
        } else {
            dependency.figures.refused(dependency.engine.isDraining ? .draining : .busy)
            wasRefused = true
        }
        end(connection, .busy)
    }

    // MARK: Lines

    /// Handles the lines that have arrived, and the end of input; a backlog is queued.
    func received(_ connection: Connection) {
        let (buffered, isListed) = (connection.lines.bufferedCount, connection.listed.contains(.requests))
        guard isListed || (buffered >= Reading.much && connection.lines.hasBufferedLine) else {
            return takeLines(connection, until: Requests.arrivingUnits)
        }
        // Connections with a backlog yield to interactive ones.
        queue.add(connection, hadShare: true)
    }

    /// Handles lines of the queued connections, as far as the turn's units go.
    func takeLeftOver() {
        let restedEnd = Requests.turnUnits - Requests.leftOverUnits
        while spent < Requests.turnUnits, let connection = queue.next(restedFirst: spent < restedEnd) {
            takeLines(connection, until: Requests.turnUnits)
            // A share without a line costs something as well.
            spent += 1
        }
        answerRowRequests()
    }

    /// Handles lines of the connection, up to its share.
    private func takeLines(_ connection: Connection, until limit: Int) {
        // The room is computed once, since nothing is sent meanwhile.
        let room = outbox.room(connection)
        let share = Requests.allShares / max(1, queue.count)
        let end = spent + min(max(share, Requests.share.lowerBound), Requests.share.upperBound)
        if connection.taken.turn != turn { connection.taken = (turn, 0) }
        while connection.isOpen, connection.output.count < room {
            guard spent < end, spent < limit, connection.taken.lines < limits.inflight else {
                queue.add(connection, hadShare: connection.taken.lines > 0)
                break
            }
            let buffered = connection.lines.bufferedCount
            guard takeLine(connection) else { break }
            spent += 1 + (buffered - connection.lines.bufferedCount) / Requests.unitSize
            connection.taken.lines += 1
            connection.activity.lastLine = driver.tick
        }
        connections.touched.add(connection)
    }

    /// Handles the next line; returns false when there was none to handle.
    private func takeLine(_ connection: Connection) -> Bool {
        let role = connection.session.peer.role
        switch connection.lines.withNextLine(dependency.reader, role: role, { handle($0, connection) }) {
        case .taken: return true
        case .putBack, .needBytes: return false
        case .refuse(let tag, let failure): output(connection).reply(.failed(failure), tag: tag, restsOn: .zero)
        case .refuseWrite(let tag, let failure, let key):
            dependency.engine.refuse(failure, key, tag: tag, for: connection.session, into: output(connection))
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
    /// - Returns: false for a request that has to wait: it reads durable state while its connection's writes are not
    ///   durable, or it writes while no writes are accepted.
    private func handle(_ request: borrowing Request, _ connection: Connection) -> Bool {
        if let awaited = awaited(by: request, connection) {
            connection.requestMustWait(for: awaited)
            dependency.slow.mustWait(connection)
            waiting.append(connection)
            return false
        }
        let verb = request.verb
        if let failure = memory.refusal(of: verb, of: connection) {
            output(connection).reply(.failed(failure), tag: request.tag, restsOn: .zero)
            return true
        }
        let isTimed = dependency.figures.handled(verb)
        connection.client.asked(verb)
        if let row = request.row,
            rowRequests.add(
                row.kind, row.id, tag: request.tag, from: connection, to: dependency.engine, isTimed: isTimed)
        {
            if rowRequests.isFull { answerRowRequests() }
            return true
        }
        answerRowRequests()
        let began = isTimed ? dependency.clock.steady() : nil
        let (followed, written) = (connection.session.subscriptionCount, connection.output.count)
        handled.begin(connection)
        dependency.engine.handle(request, from: &connection.session, now: now(), into: handled)
        handled.end()
        spent += max(0, connection.output.count - written) / Requests.unitSize
        if let began { dependency.figures.took(verb, nanoseconds: dependency.clock.steady() - began) }
        if connection.session.subscriptionCount != followed {
            connections.subscriptionsChanged(connection)
            publishing.add(connection)
        }
        guard handled.hasFollowUp else {
            dependency.slow.replied(verb, dependency.reader.given, connection)
            return true
        }
        dependency.slow.answerBegan(verb, dependency.reader.given, connection)
        takeFollowUp(of: verb, connection)
        if connection.isOpen { dependency.slow.answerEnded(connection) }
        return true
    }

    /// Does the work that the request left when the engine had returned.
    private func takeFollowUp(of verb: Verb, _ connection: Connection) {
        let (followUp, defect) = handled.takeFollowUp()
        if let defect { trace(defect, of: verb) }
        if let followUp { perform(followUp, connection) }
    }

    /// Carries out a follow-up.
    private func perform(_ followUp: RequestOutput.FollowUp, _ connection: Connection) {
        switch followUp {
        case .answer(let answer): begin(answer, connection)
        case .work(let job, let tag): start(job, tag, connection)
        case .end: end(connection, .quit)
        }
    }

    func begin(_ answer: Connection.Answer, _ connection: Connection) {
        connection.answerBegan(answer)
        publishing.answerBegan(connection, durable: driver.durable)
    }

    private func awaited(by request: borrowing Request, _ connection: Connection) -> Connection.Awaited? {
        if connection.session.lastWritten > driver.durable, request.verb.waitsForOwnWrites {
            return .ownWrites(request.tag)
        }
        return driver.holdsWrites && request.verb.isWrite ? .room(request.tag) : nil
    }

    /// Queues the requests that waited for this position to be durable, or for later events to be undone, and the
    /// writes that waited for room.
    func resume(at durable: Position) {
        for connection in waiting.takeReady(at: durable, takesWrites: !driver.holdsWrites) {
            connection.waitIsOver()
            queue.add(connection, hadShare: false)
        }
    }

    /// Returns an output for this connection while none of its requests is handled.
    func output(_ connection: Connection) -> RequestOutput {
        answerRowRequests()
        return RequestOutput(dependency, driver, publishing, outbox, connection)
    }
}
