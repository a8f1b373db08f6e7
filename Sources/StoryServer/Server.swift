import StoryCore
import StoryEngine
import StoryLog
import StoryModels
package import StoryReactor
import StoryStorage
import StoryWire

/// The shell around the engine: carries a turn's requests in, its effects out, and commits between the two.
///
/// A turn: every socket that is ready is read and its requests handled; `turnEnded` commits what they appended, and
/// only then lets out what was said. Everything runs on the reactor's one thread.
package final class Server: ReactorHandler {
    let dependency: ServerDependency
    let checkpointer: Checkpointer
    let publisher: Publisher
    var connections: [ConnectionID: Connection] = [:]
    var sessions: [SessionID: Connection] = [:]
    /// Connections with work left over for the next turn.
    var ready: [Connection] = []
    /// What this turn handled, so that it can be answered anew if the commit fails.
    var journal: [JournalEntry] = []
    /// Connections that have something to send.
    var touched: [Connection] = []
    /// Why this turn cannot be committed.
    var turnFailure: StorageError?
    /// `CHECKPOINT` requests that wait for one to end.
    var awaitingCheckpoint: [(connection: Connection, tag: Tag?, position: Position)] = []
    var jobs: [Job] = []
    let turnStreams = TurnStreams()
    let jobsMustEnd = EndFlag()
    /// Work beside the loop that this turn asked for; it begins once the turn is committed.
    var waitingJobs: [() -> Void] = []
    var isDraining = false
    /// Counts tenths of a second.
    var ticks: UInt64 = 0
    /// When clients that do not take what waits for them are left.
    private var drainDeadline: UInt64?
    private static let drainTicks: UInt64 = 50
    /// When writes that were refused for want of space may be tried again.
    var retryTick: UInt64?
    /// What had been committed at the last tick.
    var committedAtTick: Position = .zero
    /// Set while the log cannot be flushed for want of space.
    var flushRefusal: FlushRefusal?
    /// The error that ended the process, where one did.
    var fatal: StorageError?
    private var lastSession: UInt64 = 0
    private var turnTime: Instant?
    /// The connection that an effect was last carried out for: most often the next one is for it, too.
    private var lastSpoken: Connection?
    private var eventScratch: [UInt8] = []

    package init(dependency: ServerDependency) {
        self.dependency = dependency
        let waker = dependency.reactor.waker
        checkpointer = Checkpointer(store: dependency.store, whenDone: { waker.wake() })
        publisher = Publisher(log: dependency.log, store: dependency.store)
        dependency.log.whenFlushed = { waker.wake() }
    }

    /// Tells the engine what happened, and carries out what it asks for.
    func update(_ input: Input) { execute(dependency.update(input, now())) }

    /// The time of this turn: what is committed together has one time.
    func now() -> Instant {
        if let turnTime { return turnTime }
        let time = dependency.clock.now()
        turnTime = time
        return time
    }

    var figures: Figures { dependency.figures }
    var reactor: Reactor { dependency.reactor }
    var log: any EventLog { dependency.log }
    var limits: Limits { dependency.configuration.limits }

    // MARK: Inputs from the reactor

    package func connectionOpened(_ id: ConnectionID, peer: PeerCredentials) {
        lastSession += 1
        let role: Role = peer.uid == dependency.uid || peer.uid == 0 ? .admin : .read
        let connection = Connection(
            id: id, session: SessionID(lastSession), peer: Peer(uid: peer.uid, role: role), limits: limits)
        connections[id] = connection
        sessions[connection.session] = connection
        update(.connected(connection.session, connection.peer))
    }

    package func bytesReceived(_ id: ConnectionID, _ bytes: UnsafeRawBufferPointer) {
        guard let connection = connections[id], !connection.isFinishing else { return }
        connection.machine.bytesReceived(bytes)
        process(connection)
    }

    package func peerClosed(_ id: ConnectionID) {
        guard let connection = connections[id] else { return }
        connection.machine.peerClosed()
        connection.needsBytes = false
        process(connection)
    }

    package func connectionClosed(_ id: ConnectionID) {
        guard let connection = connections.removeValue(forKey: id) else { return }
        sessions[connection.session] = nil
        connection.isFinishing = true
        connection.isGone = true
        update(.disconnected(connection.session))
    }

    package func outputDrained(_ id: ConnectionID) {
        guard let connection = connections[id] else { return }
        markReady(connection)
    }

    package func turnEnded() {
        let waiting = ready
        ready.removeAll(keepingCapacity: true)
        for connection in waiting {
            connection.isReady = false
            process(connection)
        }
        settle()
        startJobs()
        publish()
        release()
        checkpointIfDue()
        turnTime = nil
        if !ready.isEmpty { reactor.requestTurn() }
        if fatal != nil { reactor.stop() }
        if isDraining, connections.isEmpty { reactor.stop() }
    }

    package func signalReceived(_ signal: Int32) {
        guard !isDraining else { return reactor.stop() }
        isDraining = true
        drainDeadline = ticks + Server.drainTicks
        dependency.trace.say("draining", ["signal": "\(signal)", "connections": "\(connections.count)"])
        reactor.stopListening()
        settle()
        publish()
        update(.drainRequested)
        release()
        if connections.isEmpty { reactor.stop() }
    }

    package func timerFired() {
        ticks += 1
        figures.tick(nanoseconds: dependency.clock.steady())
        if let retry = retryTick, ticks >= retry {
            retryTick = nil
            update(.writesAllowed)
        }
        if ticks % 10 == 0, figures.eventsPerSecond == 0 {
            // Nothing to do for a second: a good time to bring the stored models up to the log.
            beginCheckpoint()
        }
        flushIfIdle()
        if ticks % 100 == 0 {
            dependency.store.clearStaleReaders()
            dependency.log.clearStaleReaders()
        }
        if let deadline = drainDeadline, ticks >= deadline { reactor.stop() }
    }

    package func woken() {
        flushEnded()
        checkpointEnded()
        finishJobs()
    }

    // MARK: Requests

    /// Takes up the connection's requests, as many as one turn allows.
    func process(_ connection: Connection) {
        touch(connection)
        if connection.reading != nil { advance(connection) }
        var taken = 0
        while !connection.isBusy, hasRoom(connection) {
            guard taken < limits.inflight else {
                markReady(connection)
                break
            }
            let short = shortWay(connection, atMost: limits.inflight - taken)
            taken += short
            guard short == 0 else { continue }
            taken += 1
            guard handleLine(connection) else { break }
        }
        if connection.isBusy || !hasRoom(connection) { connection.needsBytes = false }
        throttle(connection)
    }

    /// Handles the lines at the front that have a short way; how many there were.
    private func shortWay(_ connection: Connection, atMost greatest: Int) -> Int {
        let answered = answerPlainGets(connection, atMost: greatest)
        return answered > 0 ? answered : appendPlainly(connection, atMost: greatest)
    }

    /// False when there is no whole line to handle.
    private func handleLine(_ connection: Connection) -> Bool {
        switch connection.machine.nextLine(dependency.reader, role: connection.peer.role) {
        case .needBytes:
            connection.needsBytes = true
            return false
        case .request(let request):
            connection.needsBytes = false
            handle(request, connection)
        case .refuse(let tag, let failure):
            journal.append(JournalEntry(connection: connection, request: nil, start: connection.output.count))
            answer(.failed(failure), tag, connection)
        case .refuseAndClose(let tag, let failure):
            journal.append(JournalEntry(connection: connection, request: nil, start: connection.output.count))
            answer(.failed(failure), tag, connection)
            connection.isFinishing = true
        case .finished:
            connection.isFinishing = true
        }
        return !connection.isFinishing
    }

    func handle(_ request: Request, _ connection: Connection) {
        // What cannot be taken back must not rest on events that may still be undone.
        if request.action.isFinal, log.head > log.committed { settle() }
        journal.append(JournalEntry(connection: connection, request: request, start: connection.output.count))
        update(.requested(connection.session, request))
    }

    /// The connection of a session; nil when it is gone.
    func connection(of session: SessionID) -> Connection? {
        if let lastSpoken, lastSpoken.session == session, !lastSpoken.isGone { return lastSpoken }
        lastSpoken = sessions[session]
        return lastSpoken
    }

    /// Reading goes on while there is little to take up, so that a client that only sends is held back by its socket.
    private func throttle(_ connection: Connection) {
        guard !connection.isFinishing else { return }
        let mayRead = connection.needsBytes || connection.machine.bufferedCount < 65_536
        guard mayRead == connection.isPaused else { return }
        connection.isPaused = !mayRead
        if mayRead { reactor.resumeReading(connection.id) } else { reactor.pauseReading(connection.id) }
    }

    /// True while the connection's requests are answered; false until its reader has taken something.
    func hasRoom(_ connection: Connection) -> Bool { waiting(connection) < limits.output }

    /// How many bytes of a reading or of pushes may still be prepared ahead of the reader.
    func roomAhead(_ connection: Connection) -> Int { max(0, limits.ahead - waiting(connection)) }

    private func waiting(_ connection: Connection) -> Int {
        connection.output.count + reactor.unsentCount(connection.id)
    }

    func markReady(_ connection: Connection) {
        guard !connection.isReady else { return }
        connection.isReady = true
        ready.append(connection)
    }

    func touch(_ connection: Connection) {
        if touched.last !== connection { touched.append(connection) }
    }

    func answer(_ reply: Reply, _ tag: Tag?, _ connection: Connection) {
        if case .failed = reply { figures.failed() }
        touch(connection)
        ReplyEncoder.append(reply, tag: tag, to: &connection.output)
    }

    func append(_ event: Event) { write(event.place) { EventEncoder.append(event, to: &$0) } }

    /// Writes an event to the log's open transaction; a failure makes the whole turn fail.
    func write(_ place: EventPlace, _ encode: (inout [UInt8]) -> Void) {
        guard turnFailure == nil else { return }
        eventScratch.removeAll(keepingCapacity: true)
        encode(&eventScratch)
        do throws(StorageError) {
            try eventScratch.withUnsafeBufferPointer { (json) throws(StorageError) in
                try log.append(place, json: UnsafeRawBufferPointer(json))
            }
        } catch {
            turnFailure = error
        }
    }
}

/// A line that was handled in this turn, and where its answer begins in the connection's output.
struct JournalEntry {
    let connection: Connection
    /// Nil for a line that was refused unread, and for lines that went the short way.
    let request: Request?
    let start: Int
    /// How many lines of the entry appended the short way.
    var appends = 0
}
