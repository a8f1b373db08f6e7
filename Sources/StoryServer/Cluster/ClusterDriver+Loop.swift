import StoryCluster
import StoryCore
import StoryEngine
import StoryLog

/// The parts of the loop that a node changes.
extension ClusterDriver {
    /// The state, for greetings and `STATS`.
    var state: NodeState {
        let leader = replica.leader
        return NodeState(
            log: settings.log, node: settings.node,
            phase: phase,
            leader: leader.map { NodeState.Leader(node: $0.node, address: $0.address, term: $0.term.revision) },
            stored: log.committed, link)
    }

    /// The progress; where the ordering service does not answer, the lead and the end of the log are not known.
    private var phase: NodeState.Phase {
        guard !calls.isLost else { return .catchingUp }
        return replica.isLeading ? .leading : replica.isCaughtUp ? .following : .catchingUp
    }

    /// The knowledge about the log, which says nothing of its end while the ordering service does not answer.
    private var link: LinkState {
        let end = calls.isLost ? nil : replica.end.map { max($0, driver.acknowledged) }
        return LinkState(end: end, silence: calls.silence / 100_000_000, LogConditions(cluster: self).now)
    }
}

/// The erasures of the log.
extension ClusterDriver {
    /// Takes note how far they came in this directory.
    func erased(_ erasures: NodeErasures) { replica.erased(erasures) }

    /// The progress of all nodes, and of the ordering service.
    var erasures: ErasuresOfNodes {
        let nodes = nodes
        return ErasuresOfNodes(
            nodes: nodes.map { ($0.name, $0.name == settings.node ? replica.erasures.through : $0.erased) },
            older: nodes.filter { !$0.followsErasures }.map(\.name), tail: replica.tail?.first)
    }
}

/// The own disk.
extension ClusterDriver {
    /// Notes whether it is full: then another node is to lead, once the events that were decided here have ended.
    func noteStorage() {
        let isFull = driver.refusals.isDiskFull || isDiskFull && log.committed < driver.acknowledged
        guard isFull != isDiskFull, !isFull || driver.turn.takesEntries else { return }
        isDiskFull = isFull
        replica.storageChanged(isFull: isFull)
    }
}

/// The questions for the end of the log.
extension ClusterDriver: PositionSource {
    var part: ClusterState { .node(state) }

    /// Asks the ordering service for the end of the log; returns the number of the question.
    func askForPosition() -> UInt64 {
        let question = questions.ask(at: driver.tick)
        askOrderingService()
        return question
    }

    func askOrderingService() {
        guard let next = questions.next(at: driver.tick) else { return }
        begin(next.id, next.call, endpoint: next.endpoint)
    }

    /// Makes a call, which is counted.
    func begin(_ id: CallID, _ call: OrderingCall, endpoint: Int) {
        calls.began(id, call)
        ordering.call(id, call, endpoint: endpoint)
    }
}

/// The end of a seed.
extension ClusterDriver {
    /// Takes the end of the link over which events came from another node.
    func seedEnded(_ end: SeedEnd) {
        if let reason = seeding.linkEnded(end) { return input { replica, _ in replica.seedDiffers(reason) } }
        input { $0.seedEnded(through: self.log.head, at: $1) }
    }
}

extension ClusterDriver: OrderingReceiver {
    func answered(_ id: CallID, _ answer: OrderingAnswer) {
        calls.ended(id, answer)
        guard !life.hasEnded else { return }
        guard questions.owns(id) else { return input { $0.answered(id, answer, at: $1) } }
        // An answer that was lost is asked for again at the next tick.
        guard let (question, position) = questions.answered(answer) else { return }
        effects.add(.positionAnswered(question: question, position))
        askOrderingService()
    }

    func watched(_ id: WatchID, _ batch: OrderingWatchBatch) {
        guard !life.hasEnded else { return }
        input { $0.watched(id, batch, at: $1) }
    }

    func watchEnded(_ id: WatchID, _ end: OrderingWatchEnd) {
        guard !life.hasEnded else { return }
        input { $0.watchEnded(id, end, at: $1) }
    }
}
