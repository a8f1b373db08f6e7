package import StoryCore
import StoryEngine
package import StoryReactor
import StoryStorage
import StoryWire

/// The loop: what the reactor tells goes to the turn, and what the turn decides is carried out.
///
/// A turn: every socket that is ready is read and its requests handled; at its end what they appended is committed, or
/// that begins beside the loop; then what rests on durable events leaves. What a commit beside the loop made durable
/// leaves when that has ended. Everything runs on the reactor's one thread.
package final class Server: ReactorHandler {
    /// How long clients that do not take what waits for them are waited for, in tenths of a second.
    private static let drainTicks: UInt64 = 50

    private let dependency: ServerDependency
    private let connections = Connections()
    private let memory: ClientMemory
    private let outbox: Outbox
    private let driver: TurnDriver
    private let publishing: Publishing
    private let checkpoints: Checkpoints
    private let jobs: Jobs
    private let requests: Requests
    private let housekeeping: Housekeeping
    private var slow: SlowRequests { dependency.slow }
    /// When a server that drains gives up waiting; nil while it serves.
    private var drainDeadline: UInt64?

    package init(dependency: ServerDependency) {
        self.dependency = dependency
        let figures = dependency.figures
        memory = ClientMemory(dependency.configuration.limits)
        outbox = Outbox(
            dependency.transport, dependency.configuration.limits, connections, memory, figures, dependency.slow)
        let flush = LogFlush(dependency.log, dependency.trace, figures)
        checkpoints = Checkpoints(
            dependency.models, flush, dependency.trace, figures, dependency.background, whenDone: dependency.wake)
        jobs = Jobs(
            dependency.logWork, of: dependency.configuration.data, dependency.trace, dependency.background,
            whenDone: dependency.wake)
        driver = TurnDriver(dependency, connections, outbox, checkpoints, flush)
        publishing = Publishing(dependency, connections, outbox, memory)
        requests = Requests(dependency, driver, connections, outbox, memory, publishing, checkpoints, jobs)
        housekeeping = Housekeeping(dependency, driver, connections, requests, memory)
    }

    /// Why the process has to end with exit code 5; nil when it may go on, or end well.
    package var stopReason: StorageError? { driver.stopReason }

    /// True while a thread beside the loop stores the models.
    package var isStoring: Bool { checkpoints.isStoring }

    /// How many bytes are kept for clients by the account, and by a look at every connection.
    package var kept: (account: Int, counted: Int) {
        (memory.used, memory.count(connections.all, dependency.transport))
    }

    // MARK: Inputs from the reactor

    package func connectionOpened(_ id: ConnectionID, peer: PeerCredentials) {
        slow.turnGoesOn()
        dependency.figures.set(.notAccepting, false)
        requests.connected(id, peer)
    }

    package func clientNotAccepted(errno: Int32) {
        dependency.figures.set(.notAccepting, true)
        dependency.trace.sayEachSecond("not-accepting", ["reason": SystemError.text(errno), "then": "clients wait"])
    }

    package func bytesReceived(_ id: ConnectionID, _ bytes: UnsafeRawBufferPointer) {
        slow.turnGoesOn()
        guard let connection = connections[id], !connection.isEnding else { return }
        connections.touched.add(connection)
        connection.lines.bytesReceived(bytes)
        connection.client.received(bytes.count)
        dependency.figures.received(bytes.count)
        requests.received(connection)
    }

    package func peerClosed(_ id: ConnectionID) {
        slow.turnGoesOn()
        guard let connection = connections[id], !connection.isEnding else { return }
        connections.touched.add(connection)
        connection.lines.peerClosed()
        requests.received(connection)
    }

    package func connectionClosed(_ id: ConnectionID) {
        if let connection = connections[id] { requests.gone(connection) }
    }

    package func outputDrained(_ id: ConnectionID) {
        slow.turnGoesOn()
        if let connection = connections[id] { connections.touched.add(connection) }
    }

    package func turnEnded() {
        slow.turnGoesOn()
        endTurn()
        slow.turnEnded()
    }

    private func endTurn() {
        guard stopReason == nil else { return dependency.transport.stop() }
        requests.takeLeftOver()
        driver.turnEnded(mayGather: drainDeadline == nil, isMoreAtHand: requests.isPending)
        publish()
        guard stopReason == nil else { return }
        jobs.begin()
        store()
        requests.findNextSteps()
        requests.turnEnded()
        publishing.turnEnded()
        if requests.isPending || publishing.isPending { dependency.transport.requestTurn() }
        if drainDeadline != nil, connections.isEmpty { dependency.transport.stop() }
    }

    package func signalReceived(_ signal: Int32) {
        guard drainDeadline == nil else { return dependency.transport.stop() }
        requests.answerRowRequests()
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
        slow.turnGoesOn()
        housekeeping.ticked()
        if let drainDeadline, driver.tick >= drainDeadline { dependency.transport.stop() }
    }

    package func woken() {
        slow.turnGoesOn()
        driver.commitMayHaveEnded()
        releaseCommitted()
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

    // MARK: The end of a turn

    /// What a commit beside the loop made durable leaves at once: whoever waits for it works meanwhile, and the turn's
    /// requests come after that.
    private func releaseCommitted() {
        guard driver.releasable != nil else { return }
        requests.answerRowRequests()
        driver.modelsWereRead()
        publish()
    }

    /// Lets go on what waited for durable events, and sends what may leave.
    private func publish() {
        guard let durable = driver.releasable else { return }
        requests.resume(at: durable)
        // What is answered already does not wait for the shares of those who asked for more.
        if publishing.isPending { outbox.release(through: durable) }
        publishing.run(durable: durable)
        driver.modelsWereRead()
        guard let durable = driver.takeReleasable() else { return }
        outbox.release(through: durable)
    }

    /// Stores the models where that is due, and answers those who waited for it.
    private func store() {
        driver.storeIfDue()
        for answer in checkpoints.answers() { requests.answer(answer) }
    }
}
