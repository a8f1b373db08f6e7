package import StoryCore
import StoryEngine
package import StoryReactor
import StoryStorage
import StoryWire

/// The loop: passes the reactor's events to the turn, and carries out the turn's decisions.
///
/// A turn reads every ready socket and handles the requests. At its end their events are committed, or a commit begins
/// in the background; then the output that depends on durable events is sent. Output that waits for a background commit
/// is sent when that has ended. Everything runs on the reactor's one thread.
package final class Server: ReactorHandler {
    let dependency: ServerDependency
    let connections: Connections
    private let memory: ClientMemory
    let outbox: Outbox
    let driver: CommitDriver
    let publishing: PushScheduler
    private let checkpoints: Checkpoints
    let follower: Follower?
    let cluster: ClusterDriver?
    let effects = Effects()
    private var outbound: OutboundConnections {
        OutboundConnections(
            follower: follower ?? cluster?.seeding.link, ordering: cluster?.ordering, forwarding: cluster?.forwarding)
    }
    /// Nil for models in memory.
    private let rebuild: ModelRebuild?
    private let scrub: ModelScrub
    /// Nil for a log in memory.
    let erasures: ErasureTurns?
    let workers: WorkerTurns
    let declared: DeclaredModels
    let catalogue: ServedCatalogue
    let clients: Clients
    let requests: Requests
    private var housekeeping: Housekeeping
    var slow: SlowRequests { dependency.slow }
    var work: RequestedWork { requests.work }
    let life = Life()

    /// Builds the parts of the loop.
    package init(dependency: ServerDependency) {
        self.dependency = dependency
        let (log, models, engine) = (dependency.log, dependency.models, dependency.engine)
        let (trace, figures, slow) = (dependency.trace, dependency.figures, dependency.slow)
        let (transport, limits) = (dependency.transport, dependency.configuration.limits)
        let (starter, flush) = (dependency.starter, dependency.flush)
        (connections, declared) = (dependency.connections, dependency.declared)
        memory = ClientMemory(limits)
        outbox = Outbox(
            transport: transport, limits: limits, connections: connections, memory: memory, figures: figures,
            slow: slow, life: life)
        checkpoints = Checkpoints(models, flush, trace, starter, figures)
        rebuild = dependency.logWork.store.map { [checkpoints, effects] in
            ModelRebuild(
                $0, checkpoints: checkpoints, engine: engine, trace: trace, figures: figures, starter: starter,
                effects: effects)
        }
        scrub = ModelScrub(figures: figures, starter: starter) { [declared] in
            (models.scrub.map { [$0] } ?? []) + declared.scrubs
        }
        let journal = JournalCommit(log, runner: dependency.commits, clock: dependency.clock)
        let entries = dependency.entryCommitter(journal, effects)
        driver = dependency.commitDriver(
            journal, entries ?? JournalCommitter(log, journal, bytesPerCommit: limits.commit), effects, connections,
            outbox, checkpoints, flush, declared, life)
        publishing = dependency.pushScheduler(connections, outbox)
        let seals = SealQueue(dependency.logWork, starter: starter)
        follower = dependency.follower(driver, seals, effects)
        cluster = dependency.clusterDriver(driver, entries, seals, effects)
        let nodes = cluster.map { NodeRequests($0) }
        let source: (any PositionSource)? = follower ?? cluster
        let reader = dependency.requestReader(driver)
        clients = dependency.clients(driver, connections, outbox, publishing, cluster, nodes, source)
        let work = dependency.requestedWork(declared, checkpoints, seals, starter, clients, memory, nodes, reader)
        requests = dependency.requests(reader, clients, memory, work, source: source, takesWrites: cluster == nil)
        let takesWrites = { [follower, cluster] in follower == nil && cluster?.takesWrites != false }
        erasures = dependency.erasureTurns(work, clients, rebuild: rebuild, cluster: cluster, announces: takesWrites)
        workers = WorkerTurns(clients, trace: trace, uid: dependency.uid, takesWrites: takesWrites)
        housekeeping = dependency.housekeeping(driver, connections, memory, requests)
        catalogue = ServedCatalogue(
            dependency.catalogueParts(reader), engine: engine, declared: declared, driver: driver, clients: clients)
        catalogue.advance { () throws(StorageError) in try declared.begin(in: engine.catalogue) }
        erasures?.note()
        // Nobody reads rows of events that are being erased.
        if declared.isErasing { buildModels() }
        life.began()
        cluster?.began()
        settle()
    }

    /// The last acknowledged event.
    package var acknowledged: Position { driver.acknowledged }

    /// True while a background thread stores models, built-in or declared.
    package var isStoring: Bool { checkpoints.isStoring || declared.allCheckpoints.contains(where: \.isStoring) }

    /// The bytes kept for clients: by the account, and computed from every connection.
    package var kept: (account: Int, counted: Int) {
        (memory.used, memory.count(connections.all, dependency.transport))
    }

    /// The longest fold of a write's events as they were appended, and of a step before that, beyond its share.
    package var longestFolds: (write: Work, step: Work) { (declared.served.longest, declared.folds.share.excess) }

    // MARK: ReactorHandler

    /// Accepts or refuses a client.
    package func connectionOpened(_ id: ConnectionID, peer: PeerCredentials) {
        slow.turnGoesOn()
        dependency.figures.set(.notAccepting, false)
        clients.connected(id, peer, at: requests.now())
    }

    /// Notes that a connection of the daemon's own is made.
    package func connectionMade(_ id: ConnectionID) {
        slow.turnGoesOn()
        outbound.made(id)
        settle()
    }

    /// Handles the lines that have arrived.
    package func bytesReceived(_ id: ConnectionID, _ bytes: UnsafeRawBufferPointer) {
        slow.turnGoesOn()
        guard let connection = connections[id], let conversation = connection.conversation else {
            outbound.received(id, bytes)
            settle()
            return definitionsMayHaveCome()
        }
        connections.touched.add(connection)
        conversation.lines.bytesReceived(bytes)
        connection.client.received += UInt64(bytes.count)
        dependency.figures.received += UInt64(bytes.count)
        requests.received(connection, conversation)
        settle()
    }

    /// Handles the end of the peer's input.
    package func peerClosed(_ id: ConnectionID) {
        slow.turnGoesOn()
        guard let connection = connections[id], let conversation = connection.conversation else {
            outbound.closed(id)
            return settle()
        }
        connections.touched.add(connection)
        conversation.lines.peerClosed()
        requests.received(connection, conversation)
        settle()
    }

    /// Removes the connection.
    package func connectionClosed(_ id: ConnectionID) {
        if let connection = connections[id] { requests.gone(connection) } else { outbound.closed(id) }
        settle()
    }

    /// Has the connection's next step computed, since all its output has left the process.
    package func outputDrained(_ id: ConnectionID) {
        slow.turnGoesOn()
        if let connection = connections[id] { connections.touched.add(connection) }
    }

    /// Commits the turn's events and sends output.
    package func turnEnded() {
        slow.turnGoesOn()
        endTurn()
        slow.turnEnded()
    }

    private func endTurn() {
        guard !life.hasFailed else { return dependency.transport.stop() }
        requests.takeLeftOver { settle() }
        work.clientRequests.endAsked()
        follower?.turnEnded()
        cluster?.turnEnds()
        settle()
        requests.carryOutWaiting { settle() }
        cluster?.forwarding.turnEnds()
        settle()
        definitionsMayHaveCome()
        driver.turnEnded(mayGather: !life.isEnding, isMoreAtHand: requests.isPending || hasEntries)
        settle()
        cluster?.turnEnded()
        settle()
        publish()
        guard !life.hasFailed else { return }
        // Only now, since the thread that stores takes a processor from clients that wait for their replies.
        driver.storeBeside()
        if erasures?.holdsJobs != true { work.jobs.begin(driver.turn, acknowledged: driver.acknowledged) }
        store()
        requests.findNextSteps()
        requests.turnEnded()
        publishing.turnEnded()
        driver.refold()
        settle()
        erasures?.note()
        buildModels()
        erasures?.advance()
        settle()
        if hasWork { dependency.transport.requestTurn() }
        if let signal = life.drainIfDue(at: driver.tick) { drain(signal) }
        if life.isDrained(at: driver.tick, hasClients: !connections.isEmpty) { dependency.transport.stop() }
    }

    /// True while work is left that waits for nothing.
    private var hasWork: Bool {
        if requests.isPending || hasEntries || requests.areSomeReady { return true }
        return driver.isHalfFolded ? driver.refolding.hasWork : publishing.isPending || declared.hasWork
    }

    /// True while entries from elsewhere wait that the next turn can take.
    private var hasEntries: Bool { follower?.hasWork == true || cluster?.hasWork == true }

    /// Runs the housekeeping.
    package func timerFired() {
        slow.turnGoesOn()
        housekeeping.ticked()
        clients.resume(requests.waits.takeLate(at: driver.tick))
        follower?.ticked()
        cluster?.ticked()
        workers.ticked()
        work.searchesMayHaveEnded()
        settle()
    }

    /// Finishes background commits, flushes, checkpoints and jobs that have ended.
    package func woken() {
        slow.turnGoesOn()
        driver.commitMayHaveEnded()
        settle()
        releaseCommitted()
        driver.flushMayHaveEnded()
        if !life.hasFailed { checkpoints.advance() }
        work.mayHaveEnded()
        settle()
    }

    /// Waits for background work, commits the remaining events and stores the models of the definitions that the log has
    /// then, after the loop has ended without a storage failure.
    package func end() {
        _ = life.ended(.asked)
        work.end()
        scrub.end()
        cluster?.end()
        erasures?.end()
        replaceModels { rebuild throws(StorageError) in try rebuild.end() }
        driver.finishCommits()
        settle()
        driver.storeAtEnd()
    }

    // MARK: The end of a turn

    /// Sends replies as soon as an asynchronous commit completes: the clients work meanwhile, and the turn's requests
    /// come after that.
    private func releaseCommitted() {
        guard driver.sendablePosition != nil else { return }
        driver.modelsWereRead()
        publish()
    }

    /// Resumes the requests that waited for durable events, and sends the output that may leave.
    func publish() {
        guard let durable = driver.sendablePosition else { return }
        requests.resume(at: durable)
        // Answers and pushes may read the models; replies that were made are sent.
        guard !driver.isHalfFolded else { return release() }
        catalogue.settleSubscriptions(at: durable)
        // Complete replies do not wait for the shares of long answers.
        if publishing.isPending { outbox.release(through: durable) }
        publishing.run(durable: durable)
        driver.modelsWereRead()
        release()
    }

    private func release() { if let durable = driver.takeReleasable() { outbox.release(through: durable) } }

    /// Stores the models where that is due, and replies to the requests that waited for it.
    private func store() {
        replaceModels { rebuild throws(StorageError) in try rebuild.advance(at: driver.tick) }
        if driver.refusals.areModelsDamaged, let error = rebuild?.loss(isAwaited: driver.refolding.awaitsModels) {
            driver.fail(error)
        }
        scrub.advance(at: driver.tick)
        driver.storeIfDue()
        work.advance()
        erasures?.answer()
    }

    /// Advances or ends a replacement of the models; stops the process where the new ones cannot be read.
    private func replaceModels(_ step: (ModelRebuild) throws(StorageError) -> Void) {
        guard let rebuild else { return }
        do throws(StorageError) { try step(rebuild) } catch { driver.fail(error) }
        settle()
    }
}
