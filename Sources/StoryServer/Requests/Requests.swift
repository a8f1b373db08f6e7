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
    private let publishing: Publishing
    private let checkpoints: Checkpoints
    private let jobs: Jobs
    private let stats: Stats
    /// Where the events of streams and categories lie.
    private let index: StreamIndex
    /// So many lines are taken up as they come, and so many that were left over, before the turn ends: who asks for
    /// little does not wait for all that others sent.
    private static let turnLines = 128
    /// What is answered at once with more than a line, a report or help, counts as so many of them.
    private static let longLines = 32

    /// True once a client was refused for want of room.
    var wasRefused = false
    /// Connections with lines left over for the next turn.
    @exclusivity(unchecked) private var leftOver: [Connection] = []
    /// How many lines were taken up of those that `turnLines` counts.
    @exclusivity(unchecked) private var takenLines = 0
    /// Connections with a request that waits for what they wrote.
    private var waiting: [Connection] = []
    @exclusivity(unchecked) private var turnTime: Instant?
    /// What the engine writes to, one request after the other.
    private let handled: RequestOutput

    init(
        _ dependency: ServerDependency, _ driver: TurnDriver, _ connections: Connections, _ outbox: Outbox,
        _ publishing: Publishing, _ checkpoints: Checkpoints, _ jobs: Jobs
    ) {
        self.dependency = dependency
        self.driver = driver
        self.connections = connections
        self.outbox = outbox
        self.publishing = publishing
        self.checkpoints = checkpoints
        self.jobs = jobs
        handled = RequestOutput(dependency, driver, publishing)
        stats = Stats(dependency, connections, checkpoints, publishing)
        index = StreamIndex(dependency.models)
    }

    var limits: Limits { dependency.configuration.limits }
    var transport: any Transport { dependency.transport }

    /// True while lines are left over.
    var isPending: Bool { !leftOver.isEmpty }

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
        takenLines = 0
    }

    // MARK: Connections

    /// A client connected.
    ///
    /// - Parameter failure: why they may not stay; nil where the engine decides.
    func connected(_ id: ConnectionID, _ peer: Peer, refused failure: Failure? = nil) {
        let connection = Connection(id: id, peer: peer, limits: limits)
        connection.activity.last = driver.tick
        let count = connections.liveCount
        connections.insert(connection)
        outbox.touch(connection)
        let output = output(connection)
        if failure == nil, dependency.engine.connected(peer, beside: count, into: output) { return }
        if let failure { output.reply(.failed(failure), tag: nil, restsOn: .zero) } else { wasRefused = true }
        end(connection, .busy)
    }

    // MARK: Lines

    /// Takes up lines that the last turn left over; who has no share this turn is first in the next one.
    func takeLeftOver() {
        let connections = leftOver
        leftOver.removeAll(keepingCapacity: true)
        takenLines = 0
        var served = 0
        while served < connections.count, takenLines < Requests.turnLines {
            connections[served].listed.remove(.requests)
            takeLines(connections[served])
            served += 1
        }
        if served < connections.count { leftOver.insert(contentsOf: connections[served...], at: 0) }
    }

    /// The connection has lines for the next turn.
    func add(_ connection: Connection) {
        guard !connection.listed.contains(.requests) else { return }
        connection.listed.insert(.requests)
        leftOver.append(connection)
    }

    /// The connection's reader took everything, or its last answer was closed: what waited for that can go on.
    func outputTaken(_ connection: Connection) {
        if connection.isOpen, connection.lines.hasBufferedLine, outbox.hasRoom(connection) { add(connection) }
    }

    /// Takes up the connection's requests, as many as one turn allows.
    func takeLines(_ connection: Connection) {
        outbox.touch(connection)
        // Nothing is sent while lines are taken up.
        let room = outbox.room(connection)
        var taken = 0
        while connection.isOpen, connection.output.count < room {
            guard taken < limits.inflight, takenLines < Requests.turnLines else {
                add(connection)
                break
            }
            taken += 1
            takenLines += 1
            guard takeLine(connection) else { break }
        }
        if taken > 0 { connection.activity.lastLine = driver.tick }
        throttle(connection)
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

    /// Reading goes on while there is little to take up, so that a client that only sends is held back by its socket.
    private func throttle(_ connection: Connection) {
        guard !connection.isEnding else { return }
        let needsBytes = connection.isOpen && outbox.hasRoom(connection) && !connection.lines.hasBufferedLine
        let mayRead = needsBytes || connection.lines.bufferedCount < 65_536
        guard mayRead == connection.isPaused else { return }
        connection.isPaused = !mayRead
        if mayRead { transport.resumeReading(connection.id) } else { transport.pauseReading(connection.id) }
    }

    // MARK: Handling

    /// Has the engine handle a request.
    ///
    /// - Returns: false for one that has to wait: it reads what is durable while its connection's writes are not, or it
    ///   writes while no writes are taken up.
    private func handle(_ request: borrowing Request, _ connection: Connection) -> Bool {
        if let awaited = awaited(by: request, connection) {
            connection.requestMustWait(for: awaited)
            waiting.append(connection)
            return false
        }
        let verb = request.action.verb
        let began = dependency.figures.handled(verb) ? dependency.clock.steady() : nil
        let followed = connection.session.subscriptionCount
        handled.begin(connection)
        dependency.engine.handle(request, from: &connection.session, now: now(), into: handled)
        let wish = handled.end()
        if let began { dependency.figures.took(verb, nanoseconds: dependency.clock.steady() - began) }
        if let defect = handled.takeDefect() {
            dependency.trace.say("defect", ["verb": verb.rawValue, "message": defect.message])
        }
        if connection.session.subscriptionCount != followed {
            connections.subscriptionsChanged(connection)
            publishing.add(connection)
        }
        if let wish { grant(wish, connection) }
        return true
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

    private func begin(_ answer: Connection.Answer, _ connection: Connection) {
        connection.answerBegan(answer)
        publishing.answerBegan(connection, durable: driver.durable)
    }

    private func awaited(by request: borrowing Request, _ connection: Connection) -> Connection.Awaited? {
        if connection.session.lastWritten > driver.durable, request.action.waitsForOwnWrites {
            return .ownWrites(request.tag)
        }
        return driver.holdsWrites && request.action.isWrite ? .room(request.tag) : nil
    }

    /// Takes up, in the next turn, the requests that waited until this position was durable, or until what came after
    /// it was undone; and the writes that waited for room.
    func resume(at durable: Position) {
        guard !waiting.isEmpty else { return }
        let connections = waiting
        waiting = []
        for connection in connections {
            guard connection.isRequestReady(at: durable, takesWrites: !driver.holdsWrites) else {
                if !connection.isEnding { waiting.append(connection) }
                continue
            }
            connection.waitIsOver()
            add(connection)
        }
    }

    /// Work beside the loop has ended.
    func answer(_ answer: JobAnswer) {
        guard answer.connection.jobEnded() else { return }
        outbox.touch(answer.connection)
        output(answer.connection).reply(answer.reply, tag: answer.tag, restsOn: .zero)
        add(answer.connection)
    }

    /// What can be written to this connection while none of its requests is handled.
    func output(_ connection: Connection) -> RequestOutput { RequestOutput(dependency, driver, publishing, connection) }

    /// Does at once what can be done at once, and lets the connection wait for the rest.
    private func start(_ job: Job, _ tag: Tag?, _ connection: Connection) {
        switch job {
        case .checkpoint:
            connection.jobBegan(tag)
            checkpoints.await(driver.durable, tag, connection)
        case .verify:
            connection.jobBegan(tag)
            jobs.verify(tag, connection)
        case .backUp(let path):
            if let failure = jobs.backUp(to: path, tag, connection) {
                output(connection).reply(.failed(failure), tag: tag, restsOn: .zero)
            } else {
                connection.jobBegan(tag)
            }
        case .report:
            takenLines += Requests.longLines
            let report = stats.report(durable: driver.durable)
            output(connection).reply(.done(.members(report)), tag: tag, restsOn: .zero)
        case .help(let topic):
            takenLines += Requests.longLines
            let output = output(connection)
            for line in Help.answer(topic) { output.reply(line, tag: tag, restsOn: .zero) }
        }
    }
}
