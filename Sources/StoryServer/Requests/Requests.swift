import StoryAnswers
import StoryCore
import StoryEngine
import StoryLog
import StoryModels
import StoryReactor
import StoryStorage
import StoryWire

/// Takes up the lines of connections and has the engine handle them.
final class Requests {
    let dependency: ServerDependency
    let driver: TurnDriver
    let outbox: Outbox
    let connections: Connections
    let memory: ClientMemory
    let reading: Reading
    let publishing: Publishing
    let checkpoints: Checkpoints
    let jobs: Jobs
    let figureAnswers: FigureAnswers
    /// Where the events of streams and categories lie.
    private let index: StreamIndex
    /// So much is taken up in a turn, in units: a small request is one.
    private static let turnUnits = 256
    /// What of that is for lines as they come.
    private static let arrivingUnits = 128
    /// What is left to those who had a share before, however many ask anew.
    private static let leftOverUnits = 32
    /// What a connection takes before others have their share: less, the more are waiting, who share this much.
    private static let (share, allShares) = (4...32, 2_048)
    /// So many bytes of a line, or of its answer, cost as much as a small request.
    static let unitSize = 4_096
    /// What is answered at once with more than a line, a report or help, costs so many units.
    static let longUnits = 32

    /// How many clients connected.
    private var clientCount: UInt64 = 0
    /// How far the account of what is kept for clients was used up when that was last looked at.
    var level = ClientMemory.Level.plenty
    /// True once a client was refused for want of room.
    var wasRefused = false
    /// Connections with lines that nobody took up.
    @exclusivity(unchecked) var queue = ShareQueue(.requests)
    /// How many of the turn's units are spent.
    @exclusivity(unchecked) var spent = 0
    @exclusivity(unchecked) private var turn: UInt64 = 0
    private var waiting = WaitingRequests()
    @exclusivity(unchecked) private var turnTime: Instant?
    /// What the engine writes to, one request after the other.
    let handled: RequestOutput
    /// The last requests that were taken up, where they are for rows: they are answered before anything else is done.
    @exclusivity(unchecked) var rowRequests = RowRequests()

    init(
        _ dependency: ServerDependency, _ driver: TurnDriver, _ connections: Connections, _ outbox: Outbox,
        _ memory: ClientMemory, _ publishing: Publishing, _ checkpoints: Checkpoints, _ jobs: Jobs
    ) {
        self.dependency = dependency
        self.driver = driver
        self.connections = connections
        self.outbox = outbox
        self.memory = memory
        reading = Reading(dependency.transport, dependency.configuration.limits, connections, memory)
        self.publishing = publishing
        self.checkpoints = checkpoints
        self.jobs = jobs
        figureAnswers = FigureAnswers(
            dependency: dependency, driver: driver, connections: connections, outbox: outbox, memory: memory,
            publishing: publishing, checkpoints: checkpoints)
        handled = RequestOutput(dependency, driver, publishing, outbox)
        index = StreamIndex(dependency.models)
    }

    var limits: Limits { dependency.configuration.limits }

    /// True while lines are left over.
    var isPending: Bool { queue.count > 0 }

    /// The time of this turn: what is committed together has one time.
    func now() -> Instant {
        if let turnTime { return turnTime }
        let time = dependency.clock.now()
        turnTime = time
        return time
    }

    /// The next turn has a time of its own.
    func turnEnded() {
        turnTime = nil
        spent = 0
        turn += 1
    }

    // MARK: Connections

    /// A client connected; one who may not stay is told why.
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

    /// More of the connection's lines came, or it is known that there are no more.
    func received(_ connection: Connection) {
        let (buffered, isListed) = (connection.lines.bufferedCount, connection.listed.contains(.requests))
        guard isListed || (buffered >= Reading.much && connection.lines.hasBufferedLine) else {
            return takeLines(connection, until: Requests.arrivingUnits)
        }
        // A client that sent much waits for those that ask for little.
        queue.add(connection, hadShare: true)
    }

    /// Takes up lines that nobody took up when they came, for as many connections as the turn has shares for.
    func takeLeftOver() {
        let restedEnd = Requests.turnUnits - Requests.leftOverUnits
        while spent < Requests.turnUnits, let connection = queue.next(restedFirst: spent < restedEnd) {
            takeLines(connection, until: Requests.turnUnits)
            // Also a share that comes to nothing is work.
            spent += 1
        }
        answerRowRequests()
    }

    /// Takes up the connection's requests, as many as are its share.
    private func takeLines(_ connection: Connection, until limit: Int) {
        // Nothing is sent while lines are taken up.
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

    /// False when no line could be taken.
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
    /// - Returns: false for one that has to wait: it reads what is durable while its connection's writes are not, or it
    ///   writes while no writes are taken up.
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
        if let row = request.row {
            rowRequests.add(
                row.kind, row.id, tag: request.tag, from: connection, to: dependency.engine, isTimed: isTimed)
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
        guard handled.hasRest else {
            dependency.slow.replied(verb, dependency.reader.given, connection)
            return true
        }
        dependency.slow.answerBegan(verb, dependency.reader.given, connection)
        takeRest(of: verb, connection)
        if connection.isOpen { dependency.slow.answerEnded(connection) }
        return true
    }

    /// Does what a request left to be done when the engine had returned.
    private func takeRest(of verb: Verb, _ connection: Connection) {
        let (wish, defect) = handled.takeRest()
        if let defect { trace(defect, of: verb) }
        if let wish { grant(wish, connection) }
    }

    /// Does what a request wants beyond what the engine wrote.
    private func grant(_ wish: RequestOutput.Wish, _ connection: Connection) {
        switch wish {
        case .answer(let answer): begin(answer, connection)
        case .events(let plan, let tag):
            let cursor = ReadCursor(plan, log: dependency.log, index: index)
            begin(Connection.Answer(cursor: cursor, tag: tag, restsOn: .zero), connection)
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

    /// Takes up, in the next turn, the requests that waited until this position was durable, or until what came after
    /// it was undone; and the writes that waited for room.
    func resume(at durable: Position) {
        for connection in waiting.takeReady(at: durable, takesWrites: !driver.holdsWrites) {
            connection.waitIsOver()
            queue.add(connection, hadShare: false)
        }
    }

    /// What can be written to this connection while none of its requests is handled.
    func output(_ connection: Connection) -> RequestOutput {
        answerRowRequests()
        return RequestOutput(dependency, driver, publishing, outbox, connection)
    }
}
