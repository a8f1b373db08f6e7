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
    let figures: Figures
    let slow: SlowRequests
    let transport: any Transport
    private let limits: Limits
    let driver: CommitDriver
    let memory: ClientMemory
    let reading: Reading
    let clients: Clients
    let work: RequestedWork
    let waits: PositionWaits
    /// The work of a turn that is left to connections with a backlog, however many lines arrive.
    private static let leftOver = Work(microseconds: 1_000)

    /// The memory level at the end of the last turn.
    var level = ClientMemory.Level.plenty
    /// The work that is left of the share of the connection whose lines are handled.
    private var workLeft = Work.zero
    private var turn: UInt64 = 0
    private var waiting = WaitingRequests()
    private var turnTime: Instant?

    init(
        reader: RequestReader, clock: Clock, transport: any Transport, limits: Limits, memory: ClientMemory,
        clients: Clients, work: RequestedWork, waits: PositionWaits
    ) {
        (self.reader, self.clock, self.transport, self.limits) = (reader, clock, transport, limits)
        (self.memory, self.clients, self.work, self.waits) = (memory, clients, work, waits)
        (engine, driver, figures, slow) = (clients.engine, clients.driver, clients.figures, clients.slow)
        reading = Reading(transport, limits, clients.connections, memory)
    }

    private var handled: RequestOutput { clients.handled }
    private var outbox: Outbox { clients.outbox }
    private var connections: Connections { clients.connections }
    private var publishing: PushScheduler { clients.publishing }
    private var forwarding: Forwarding? { clients.forwarding }

    /// True while lines are left over.
    var isPending: Bool { clients.queue.count > 0 }

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
        clients.queue.turnEnded()
        turn += 1
    }

    /// Removes a connection that was closed.
    func gone(_ connection: Connection) {
        clients.gone(connection)
        work.checks.connectionClosed(connection)
    }

    // MARK: Lines

    /// Handles the lines that have arrived, and the end of input; a backlog is queued, so that it yields to others.
    func received(_ connection: Connection, _ conversation: Conversation) {
        let isBacklog = conversation.lines.bufferedCount >= Reading.much && conversation.lines.hasBufferedLine
        guard clients.queue.isWaiting(connection) || isBacklog else {
            return handleLines(connection, clients.queue.takeShare(except: Requests.leftOver))
        }
        clients.queue.add(connection, hadShare: true)
    }

    /// Handles lines of the queued connections, as far as the turn's work goes.
    ///
    /// - Parameter settle: carries out the effects of one connection's lines before the next one's are handled.
    func takeLeftOver(settle: () -> Void) {
        while let connection = clients.queue.next() {
            handleLines(connection, clients.queue.takeShare())
            settle()
        }
        engine.flush()
    }

    /// Handles lines of the connection, up to its share.
    private func handleLines(_ connection: Connection, _ share: Work) {
        workLeft = share
        if let conversation = connection.conversation { handleLines(connection, conversation) }
        clients.queue.giveBack(workLeft)
        connections.touched.add(connection)
    }

    private func handleLines(_ connection: Connection, _ conversation: Conversation) {
        let room = outbox.room(connection)
        if conversation.taken.turn != turn { conversation.taken = (turn, 0) }
        while connection.isOpen, connection.output.count < room {
            guard workLeft > .zero, conversation.taken.lines < limits.inflight else {
                clients.queue.add(connection, hadShare: conversation.taken.lines > 0)
                break
            }
            let buffered = conversation.lines.bufferedCount
            guard handleLine(connection, conversation) else { break }
            workLeft -= .line + .received(buffered - conversation.lines.bufferedCount)
            conversation.taken.lines += 1
            connection.client.lastLine = driver.tick
        }
    }

    /// Handles the next line; returns false when there was none to handle.
    private func handleLine(_ connection: Connection, _ conversation: Conversation) -> Bool {
        let role = connection.peer.role
        // The models decide how some lines are refused.
        let isHeld = conversation.forwarded > 0 || driver.isHalfFolded
        let outcome = conversation.lines.withNextLine(reader, role: role, isHeld: isHeld) { request in
            handle(request, connection, in: conversation)
        }
        if outcome.isRefusal { connection.client.asked(nil) }
        if outcome.isTaken { conversation.look = nil }
        switch outcome {
        case .taken: return true
        case .putBack, .needBytes: return false
        case .held(let tag, let isEnd):
            guard !waiting.hold(connection, in: conversation, tag, isEnd: isEnd) else { return false }
            clients.end(connection, .closed)
        case .refuse(let tag, let failure):
            // Events decide which models there are, which of them are being built, and which options they have.
            let basis = engine.models.decide(failure) ? engine.head : engine.lastDefinition
            clients.output(connection).reply(.failed(failure), tag: tag, restsOn: basis)
        case .refuseWrite(let tag, let failure, let key):
            engine.refuse(failure, key, tag: tag, for: conversation.session, into: clients.output(connection))
        case .refuseAndClose(let tag, let failure):
            let reason = EndReason(failure.code.rawValue)
            conversation.session.endSubscriptions(reason, into: clients.output(connection))
            clients.output(connection).reply(.failed(failure), tag: tag, restsOn: .zero)
            clients.end(connection, reason)
        case .finished: clients.end(connection, .closed)
        }
        return true
    }

    // MARK: Handling

    /// Has the engine handle a request.
    ///
    /// - Returns: false for a request that has to wait: it reads durable state while its connection's writes or the
    ///   definitions are not durable, or it writes while no writes are accepted, or an event is about to be undone.
    private func handle(
        _ request: borrowing Request, _ connection: Connection, in conversation: Conversation
    ) -> Bool {
        if request.author != nil || conversation.forwarded > 0 || !waits.takesWrites,
            let isTaken = passOn(request, of: connection, conversation)
        {
            return isTaken
        }
        if let awaited = connection.awaited(by: request, in: conversation, driver, engine) {
            waiting.append(connection, for: awaited, request.tag)
            slow.mustWait(connection)
            return false
        }
        if waits.concern(request, of: conversation) {
            let (acknowledged, tick) = (driver.acknowledged, driver.tick)
            switch waits.look(at: request, of: connection, conversation, acknowledged: acknowledged, tick: tick) {
            case .met: break
            case .mustWait:
                slow.mustWait(connection)
                return false
            case .late(let failure): return clients.refuse(failure, request.verb, tag: request.tag, connection)
            }
        }
        guard request.verb.isWrite, driver.declared.folds.mayConcern else {
            return answer(request, connection, in: conversation)
        }
        return answerFolded(request, connection, in: conversation)
    }

    /// Has the engine answer a write of events whose fold into declared models may be long.
    private func answerFolded(
        _ request: borrowing Request, _ connection: Connection, in conversation: Conversation
    ) -> Bool {
        let folds = driver.declared.folds
        switch folds.look(at: request, of: connection, now: now(), handled, by: engine) {
        case .handle(let time):
            defer { folds.handled(connection) }
            return answer(request, connection, in: conversation, at: time)
        case .mustWait:
            connection.requestMustWait(for: .fold, request.tag)
            slow.mustWait(connection)
            return false
        case .mustRest:
            waiting.append(connection, for: .room, request.tag)
            slow.mustWait(connection)
            return false
        case .refused(let failure): return clients.refuse(failure, request.verb, tag: request.tag, connection)
        }
    }

    /// Has the engine answer a request that waits for nothing.
    ///
    /// - Parameter time: the time of its events; nil for that of the turn.
    func answer(
        _ request: borrowing Request, _ connection: Connection, in conversation: Conversation, at time: Instant? = nil
    ) -> Bool {
        let verb = request.verb
        if let failure = memory.refusal(of: verb, of: connection) {
            return clients.refuse(failure, verb, tag: request.tag, connection)
        }
        let look = conversation.look
        let isTimed = look == nil && figures.handled(verb)
        if look == nil { connection.client.asked(verb) }
        let began = isTimed ? clock.steady() : nil
        let followed = conversation.session.subscriptionCount
        handled.begin(connection, verb, isTimed: isTimed)
        engine.handle(request, from: &conversation.session, now: time ?? now(), into: handled)
        handled.end()
        workLeft -= .written(handled.takeWritten()) + driver.declared.served.takeSpent() + engine.takeLooked()
        guard !handled.isRowWanted else { return true }
        if let began { figures.took(verb, nanoseconds: clock.steady() - began) }
        if conversation.session.subscriptionCount != followed {
            connections.subscriptionsChanged(connection)
            publishing.add(connection)
        }
        guard handled.hasFollowUp else {
            slow.replied(verb, reader.given, connection)
            return true
        }
        return take(handled.takeFollowUp(), of: verb, connection, in: conversation)
    }

    /// Carries out the follow-up of a request.
    ///
    /// - Returns: false for a request that is handled again.
    private func take(
        _ followUp: RequestOutput.FollowUp?, of verb: Verb, _ connection: Connection, in conversation: Conversation
    ) -> Bool {
        if case .look(let look, let tag)? = followUp {
            slow.mustWait(connection)
            conversation.look = look
            clients.begin(Connection.Answer(cursor: look, tag: tag, restsOn: .zero), connection)
            return false
        }
        slow.answerBegan(verb, reader.given, connection)
        switch followUp {
        case .answer(let answer)?: clients.begin(answer, connection)
        case .work(let action, let position, let tag)?: workLeft -= work.start(action, at: position, tag, connection)
        case .end?: clients.end(connection, .quit)
        case .look?, nil: break
        }
        if connection.isOpen { slow.answerEnded(connection) }
        return true
    }

    /// True where a request waits that the next turn can handle.
    var areSomeReady: Bool {
        waiting.hasReady(at: driver.acknowledged, driver, engine, takesWrites: waits.takesWrites)
    }

    /// Queues the requests that waited for this position, for later events to be undone, or for room.
    func resume(at durable: Position) {
        forwarding?.reached(durable)
        let ready = waiting.takeReady(at: durable, driver, engine, takesWrites: waits.takesWrites)
        clients.resume(ready + waits.takeReached(durable))
    }
}

extension LineOutcome {
    /// True for a line that is not the next one any more.
    fileprivate var isTaken: Bool {
        switch self {
        case .taken, .refuse, .refuseWrite, .refuseAndClose, .finished: true
        case .putBack, .held, .needBytes: false
        }
    }

    /// True for a line that is answered with a failure.
    fileprivate var isRefusal: Bool {
        switch self {
        case .refuse, .refuseWrite, .refuseAndClose: true
        case .taken, .putBack, .held, .needBytes, .finished: false
        }
    }
}
