import StoryCluster
import StoryCore
import StoryEngine
import StoryLog
import StoryStorage

/// The driver of a node: carries out the actions of `Replica`, and passes the ordering service's answers to it.
///
/// The ordering service tells nothing within a method of its own, and the actions of an input are carried out in their
/// order, one after the other, so no input comes within another one.
final class ClusterDriver {
    /// The number of records that are taken in one turn, about.
    private static let recordsPerTurn = 2_000

    let ordering: any OrderingService
    var calls: CountedCalls
    let settings: ReplicaSettings
    private let ports: LinkPorts
    private let figures: Figures
    let driver: CommitDriver
    private let committer: EntryCommitter
    private let seals: SealQueue
    let effects: Effects
    let seeding: Seeding
    var replica: Replica
    private var actions = FIFO<ClusterAction>()
    private var isPerforming = false
    /// The entry that is to be taken; nil while there is none.
    private var taking: Entry?
    /// The number of records that this turn may still take.
    private var recordsLeft = ClusterDriver.recordsPerTurn
    private var isPaused = false
    /// True while the own disk is full, until everything is stored.
    var isDiskFull = false
    /// The newest position whose seal was asked for.
    private var sealed = Position.zero
    var questions: PositionQuestions
    /// The writes that are passed on to the node that leads.
    let forwarding: Forwarding

    init(
        _ node: ClusterNode, _ ports: LinkPorts, figures: Figures, driver: CommitDriver, committer: EntryCommitter,
        seals: SealQueue, effects: Effects
    ) {
        (ordering, settings) = (node.ordering, node.settings)
        (self.ports, self.figures, self.driver, self.committer) = (ports, figures, driver, committer)
        (self.seals, self.effects) = (seals, effects)
        let keys = LogKeys(log: settings.log)
        calls = CountedCalls(of: keys, figures, steady: ports.clock.steady)
        seeding = Seeding(ports, driver: driver, seals: seals, effects: effects)
        forwarding = Forwarding(
            driver.log.identity.id, node: settings.node, ports, driver: driver, effects: effects)
        questions = PositionQuestions(keys, patience: ports.patience)
        replica = Replica(settings, LocalLog(history: driver.log.storeID, head: driver.log.committed))
    }

    var log: any EventLog { driver.log }
    var life: Life { driver.life }
    /// How long an answer, or the end of a hand-over, is waited for, in ticks of 0.1 s.
    var patience: UInt64 { ports.patience }
    private var trace: Trace { ports.trace }

    /// The nodes of the log, as this one knows them now.
    var nodes: [NodeView] { replica.nodes(at: ports.clock.steady()) }
    /// True while this node may get the lead, or has it and does not write yet.
    var isToLead: Bool { replica.isToLead }
    /// Returns true for the name of a node of the log.
    func isNode(_ name: String) -> Bool { replica.members[name] != nil }
    /// True while writes are accepted here.
    var takesWrites: Bool { replica.takesWrites && life.isServing }
    /// True while an entry waits that the next turn can take.
    var hasWork: Bool { taking != nil && mayTake || seeding.link?.hasWork == true }

    // MARK: The loop

    /// Joins the log.
    func began() {
        ordering.receiver = self
        input { $0.began(at: $1) }
    }

    /// Counts a tick of 0.1 s.
    func ticked() {
        guard !life.hasEnded else { return }
        ordering.ticked(at: ports.clock.steady())
        noteStorage()
        input { $0.ticked(at: $1) }
        seeding.link?.ticked()
        figures.ordering.retried = replica.retries
        forwarding.ticked()
        askOrderingService()
    }

    /// Goes on with an entry that waits, and with calls whose next try is due; before the turn's commit.
    func turnEnds() {
        guard !life.hasEnded else { return }
        ordering.turnEnded()
        recordsLeft = ClusterDriver.recordsPerTurn
        foldEntry()
        seeding.link?.turnEnded()
        if let wake = replica.wakeAt, wake <= ports.clock.steady() { input { $0.ticked(at: $1) } }
    }

    /// Goes on after the turn's commit has begun: hands the lead over where that is due, and takes no changes that cannot
    /// be folded.
    func turnEnded() {
        guard !life.hasEnded else { return }
        if life.isAskedToEnd, !replica.isDraining, driver.turn.takesEntries, forwarding.isSettled {
            input { $0.drainRequested(at: $1) }
        }
        if replica.isYielding, driver.turn.takesEntries { input { $0.handOverReady(at: $1) } }
        let now = ports.clock.steady()
        if let wake = replica.wakeAt { ports.transport.requestTurn(within: wake - min(wake, now)) }
        guard (taking != nil) != isPaused else { return }
        isPaused.toggle()
        if isPaused { ordering.pauseWatches() } else { ordering.resumeWatches() }
    }

    /// Takes no more writes, since the process is asked to end; the lead is handed over once those that were decided have
    /// ended.
    func handOverBegins() {
        forwarding.ends()
        leadChanged()
    }

    /// Takes nothing more: the process ends.
    func end() {
        committer.mayWrite = false
        seeding.link?.end()
        ordering.end()
    }

    // MARK: Inputs and actions

    func input(_ body: (inout Replica, _ now: UInt64) -> [ClusterAction]) {
        for action in body(&replica, ports.clock.steady()) { actions.append(action) }
        (committer.isTailFull, committer.format) = (replica.isTailFull, replica.entryFormat)
        committer.mayWrite = replica.writableTerm != nil && !life.hasEnded
        forwarding.isToLead = isToLead
        guard !isPerforming else { return }
        isPerforming = true
        while let action = actions.next() { perform(action) }
        isPerforming = false
        forwarding.leaderIs(replica.leader)
    }

    private func perform(_ action: ClusterAction) {
        switch action {
        case .call(let id, let call, let endpoint): begin(id, call, endpoint: endpoint)
        case .watch(let id, let range, let revision, let endpoint):
            ordering.watch(id, range, from: revision, endpoint: endpoint)
        case .endWatch(let id): ordering.endWatch(id)
        case .take(let entry):
            taking = entry
            foldEntry()
        case .compare(let entry): compare(entry)
        case .writeEnded(let end): writeEnded(end)
        case .leadingBegan(let term):
            trace.say("leading", ["log": settings.log, "term": "\(term.revision)", "position": "\(log.head.value)"])
            leadChanged()
        case .leadingEnded:
            trace.say("not-leading", ["log": settings.log, "position": "\(driver.acknowledged.value)"])
            driver.leadLost()
            leadChanged()
        case .leaderIs(let leader):
            trace.say("leader", ["log": settings.log, "node": leader?.node ?? "", "address": leader?.address ?? ""])
            if !isToLead { leadChanged() }
        case .seed(let address, let last): seeding.begin(from: address, through: last)
        case .etcdRefuses(let reason):
            trace.sayEachSecond("engine-refuses", ["log": settings.log, "reason": reason])
        case .etcdSetBack(let revisions):
            trace.say(
                "engine-set-back",
                ["log": settings.log, "revision": "\(revisions.to)", "before": "\(revisions.from)"])
        case .seedIsMissing(let last): seeding.isMissing(through: last)
        case .handOverWanted: leadChanged()
        case .changeEnded(let id, let end): effects.add(.changeEnded(id: id, end))
        case .drained: life.handedOver(at: driver.tick)
        case .stop(let error): stop(error)
        }
    }

    private func stop(_ error: ClusterError) {
        guard life.ended(.isNoNode(error)) else { return }
        trace.say(error.isDamage ? "diverged" : "not-a-node", ["reason": "\(error)"])
        ports.transport.stop()
    }

    private func writeEnded(_ end: WriteEnd) {
        if end == .full {
            trace.sayEachSecond("engine-full", ["log": settings.log, "position": "\(driver.acknowledged.value)"])
        }
        guard let entry = committer.takeUnderWay() else { return }
        let nanoseconds = ports.clock.steady() - entry.began
        if driver.commitEnded(CommitEnd(end), nanoseconds: nanoseconds) { committer.acknowledged(bytes: entry.bytes) }
    }

    private func leadChanged() { effects.add(.takesWrites(takesWrites)) }

    // MARK: Entries from elsewhere

    private var mayTake: Bool {
        isDiskFull || driver.refusals.isDiskFull ? driver.mayHoldEntry : driver.mayTakeEntry
    }

    /// Takes the entry that waits, unless the turn has taken enough.
    private func foldEntry() {
        guard let entry = taking, recordsLeft > 0, mayTake else { return }
        let before = driver.acknowledged
        do throws(StorageError) {
            if let reason = try EntryRecords(log: log).fault(of: entry) { return refuse(reason) }
            _ = try entry.records.withBytes { (bytes) throws(StorageError) in try driver.arrived(bytes) }
        } catch {
            return refuse("\(error)")
        }
        // Damaged models cannot fold it: it is undone, and taken again once there are new ones.
        guard driver.acknowledged > before else { return }
        taking = nil
        recordsLeft -= entry.head.count
        input { $0.taken(through: entry.head.last, at: $1) }
    }

    private func refuse(_ reason: String) {
        taking = nil
        input { replica, _ in replica.notTaken(reason) }
    }

    private func compare(_ entry: Entry) {
        do throws(StorageError) {
            guard let reason = try EntryRecords(log: log).difference(from: entry) else { return }
            refuse(reason)
        } catch {
            driver.fail(error)
        }
    }

    // MARK: The own journal

    /// Takes note that the own journal has the events through a position.
    func stored(through position: Position) {
        guard !life.hasEnded else { return }
        input { replica, _ in replica.stored(through: position) }
        let newest = Position(position.value / Following.interval * Following.interval)
        guard newest > sealed else { return }
        sealed = newest
        seals.add(newest) { [weak self] in self?.sealed($0, at: newest) }
    }

    private func sealed(_ seal: Result<String, StorageError>, at position: Position) {
        switch seal {
        case .success(let seal):
            input { replica, _ in
                replica.stored(through: self.log.committed, seal: "\(position.value):\(seal)")
            }
        // A node that cannot prove its own history must not go on with it.
        case .failure(let error): driver.fail(error)
        }
    }
}
