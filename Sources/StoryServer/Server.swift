package import StoryCore
import StoryEngine
package import StoryReactor
import StoryStorage
import StoryWire

/// The loop: what the reactor tells goes to the turn, and what the turn decides is carried out.
///
/// A turn: every socket that is ready is read and its requests handled; at its end what they appended is committed, or
/// that begins beside the loop; then what rests on durable events leaves. Everything runs on the reactor's one thread.
package final class Server: ReactorHandler {
    /// How long clients that do not take what waits for them are waited for, in tenths of a second.
    private static let drainTicks: UInt64 = 50

    private let dependency: ServerDependency
    private let connections = Connections()
    private let outbox: Outbox
    private let driver: TurnDriver
    private let publishing: Publishing
    private let checkpoints: Checkpoints
    private let jobs: Jobs
    private let requests: Requests
    private let idle: IdleConnections
    private var clockWatch: ClockWatch
    /// When a server that drains gives up waiting; nil while it serves.
    private var drainDeadline: UInt64?

    package init(dependency: ServerDependency) {
        self.dependency = dependency
        outbox = Outbox(dependency.transport, dependency.configuration.limits, connections)
        let flush = LogFlush(dependency.log, dependency.trace)
        checkpoints = Checkpoints(
            dependency.models, flush, dependency.trace, dependency.background, whenDone: dependency.wake)
        jobs = Jobs(
            dependency.logWork, of: dependency.configuration.data, dependency.trace, dependency.background,
            whenDone: dependency.wake)
        driver = TurnDriver(dependency, connections, outbox, checkpoints, flush)
        publishing = Publishing(dependency, connections, outbox)
        clockWatch = ClockWatch(dependency.clock, dependency.trace)
        idle = IdleConnections(connections, dependency.transport, dependency.configuration.limits)
        requests = Requests(dependency, driver, connections, outbox, publishing, checkpoints, jobs)
    }

    /// Why the process has to end with exit code 5; nil when it may go on, or end well.
    package var stopReason: StorageError? { driver.stopReason }

    /// True while a thread beside the loop stores the models.
    package var isStoring: Bool { checkpoints.isStoring }

    // MARK: Inputs from the reactor

    package func connectionOpened(_ id: ConnectionID, peer: PeerCredentials) {
        guard let role = dependency.configuration.access.role(of: peer, owner: dependency.uid) else {
            dependency.trace.say("denied", ["uid": "\(peer.uid)"])
            let reason = "uid \(peer.uid) may not connect here; whoever runs stored can allow it with --allow"
            return requests.connected(id, Peer(uid: peer.uid, role: .read), refused: Failure(.denied, reason))
        }
        requests.connected(id, Peer(uid: peer.uid, role: role))
    }

    package func clientNotAccepted(errno: Int32) {
        dependency.trace.say("not-accepting", ["reason": SystemError.text(errno), "then": "clients wait"])
    }

    package func bytesReceived(_ id: ConnectionID, _ bytes: UnsafeRawBufferPointer) {
        guard let connection = connections[id], !connection.isEnding else { return }
        connection.lines.bytesReceived(bytes)
        requests.takeLines(connection)
    }

    package func peerClosed(_ id: ConnectionID) {
        guard let connection = connections[id], !connection.isEnding else { return }
        connection.lines.peerClosed()
        requests.takeLines(connection)
    }

    package func connectionClosed(_ id: ConnectionID) {
        if let connection = connections[id] { requests.gone(connection) }
    }

    package func outputDrained(_ id: ConnectionID) {
        if let connection = connections[id], !connection.isEnding { outputTaken(connection) }
    }

    package func turnEnded() {
        guard stopReason == nil else { return dependency.transport.stop() }
        requests.takeLeftOver()
        driver.turnEnded(mayGather: drainDeadline == nil, isMoreAtHand: requests.isPending)
        publish()
        guard stopReason == nil else { return }
        jobs.begin()
        store()
        requests.turnEnded()
        publishing.turnEnded()
        if requests.isPending || publishing.isPending { dependency.transport.requestTurn() }
        if drainDeadline != nil, connections.isEmpty { dependency.transport.stop() }
    }

    package func signalReceived(_ signal: Int32) {
        guard drainDeadline == nil else { return dependency.transport.stop() }
        drainDeadline = driver.tick + Server.drainTicks
        let members: KeyValuePairs = ["signal": "\(signal)", "connections": "\(connections.count)"]
        dependency.trace.say("draining", members)
        dependency.manager.stopping()
        dependency.transport.stopListening()
        // What is committed now is still pushed before subscriptions end.
        driver.turnEnded(mayGather: false, isMoreAtHand: false)
        publish()
        dependency.engine.drainRequested()
        outbox.isDraining = true
        for connection in connections.all { requests.drain(connection) }
    }

    package func timerFired() {
        driver.ticked()
        let now = dependency.clock.steady()
        dependency.manager.turned(at: now)
        dependency.figures.tick(nanoseconds: now)
        clockWatch.look()
        if driver.tick % 10 == 0 { endIdle() }
        if driver.tick % 10 == 0, dependency.figures.eventsPerSecond == 0 {
            // Nothing to do for a second: a good time to bring the stored models up to the log.
            driver.storeIfQuiet()
        }
        if let drainDeadline, driver.tick >= drainDeadline { dependency.transport.stop() }
    }

    package func woken() {
        driver.commitMayHaveEnded()
        driver.flushMayHaveEnded()
        if stopReason == nil { checkpoints.advance() }
        for answer in checkpoints.answers() + jobs.answers() { requests.answer(answer) }
    }

    /// Waits for everything beside the loop, commits what is left, and stores the models; the loop has ended, and
    /// nothing failed for good.
    package func end() {
        jobs.end()
        driver.finishCommits()
        driver.storeAtEnd()
    }

    /// Ends the connections that take up room and do nothing.
    private func endIdle() {
        let due = idle.due(at: driver.tick, isRoomWanted: requests.wasRefused)
        requests.wasRefused = false
        guard !due.isEmpty else { return }
        for connection in due { requests.endIdle(connection) }
        dependency.trace.say("idle", ["ended": "\(due.count)", "connections": "\(connections.liveCount)"])
    }

    // MARK: The end of a turn

    /// Lets go on what waited for durable events, and sends what may leave.
    private func publish() {
        guard let durable = driver.releasable else { return }
        requests.resume(at: durable)
        // What is answered already does not wait for the shares of those who asked for more.
        if publishing.isPending { outbox.release(through: durable, outputTaken) }
        publishing.run(durable: durable)
        driver.modelsWereRead()
        guard let durable = driver.takeReleasable() else { return }
        outbox.release(through: durable, outputTaken)
    }

    /// Stores the models where that is due, and answers those who waited for it.
    private func store() {
        driver.storeIfDue()
        for answer in checkpoints.answers() { requests.answer(answer) }
    }

    private func outputTaken(_ connection: Connection) {
        requests.outputTaken(connection)
        publishing.outputTaken(connection, durable: driver.durable)
    }
}
