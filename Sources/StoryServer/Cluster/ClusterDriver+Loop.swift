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
            stored: dependency.log.committed, link)
    }

    /// The progress; where the engine does not answer, the lead and the end of the log are not known.
    private var phase: NodeState.Phase {
        guard !calls.isLost else { return .catchingUp }
        return replica.isLeading ? .leading : replica.isCaughtUp ? .following : .catchingUp
    }

    /// The knowledge about the log, which says nothing of its end while the engine does not answer.
    private var link: LinkState {
        let end = calls.isLost ? nil : replica.end.map { max($0, driver.acknowledged) }
        return LinkState(end: end, silence: calls.silence / 100_000_000, LogConditions(cluster: self).now)
    }

    /// Makes the driver of a node, whose writes wait until it leads; nil for a store of its own.
    static func node(
        _ dependency: ServerDependency, _ driver: CommitDriver, seals: SealQueue, requests: Requests
    ) -> ClusterDriver? {
        guard let node = dependency.node, let entries = driver.entries else { return nil }
        let cluster = ClusterDriver(node, dependency, driver: driver, entries: entries, seals: seals)
        requests.waits.takesWrites = false
        cluster.leadChanged = { [weak requests] takesWrites in
            requests?.waits.takesWrites = takesWrites
            guard takesWrites else {
                requests?.forwarding?.endPassingOn()
                return
            }
            requests?.resume(requests?.waits.takeLed() ?? [])
        }
        let forwarding = Forwarding(node, dependency, driver: driver, requests: requests)
        forwarding.isMember = { [weak cluster] in cluster?.isNode($0) == true }
        forwarding.isToLead = { [weak cluster] in cluster?.isToLead == true }
        forwarding.leaderIsGone = { [weak cluster] term in cluster?.input { $0.leaderIsGone(term, at: $1) } }
        cluster.forwarding = forwarding
        requests.forwarding = forwarding
        cluster.answeredPosition = { [weak requests] question, position in
            requests?.waits.answered(question, position)
            requests?.resume(requests?.waits.takeReached(driver.acknowledged) ?? [])
        }
        requests.nodes = NodeRequests(cluster, requests)
        requests.waits.askSource = { [weak cluster] in cluster?.askForPosition() ?? 0 }
        dependency.engine.cluster = { [weak cluster] in cluster.map { .node($0.state) } }
        return cluster
    }
}

/// The own disk.
extension ClusterDriver {
    /// Notes whether it is full: then another node is to lead, once the events that were decided here have ended.
    func noteStorage() {
        let isFull = driver.refusals.isDiskFull || isDiskFull && dependency.log.committed < driver.acknowledged
        guard isFull != isDiskFull, !isFull || driver.turn.takesEntries else { return }
        isDiskFull = isFull
        replica.storageChanged(isFull: isFull)
    }
}

/// The questions for the end of the log.
extension ClusterDriver {
    /// Asks the engine for the end of the log; returns the number of the question.
    func askForPosition() -> UInt64 {
        let question = questions.ask(at: driver.tick)
        askEngine()
        return question
    }

    func askEngine() {
        guard let next = questions.next(at: driver.tick) else { return }
        begin(next.id, next.call, endpoint: next.endpoint)
    }

    /// Makes a call, which is counted.
    func begin(_ id: CallID, _ call: EngineCall, endpoint: Int) {
        calls.began(id, call)
        engine.call(id, call, endpoint: endpoint)
    }
}

extension ClusterDriver: EngineReceiver {
    func answered(_ id: CallID, _ answer: EngineAnswer) {
        calls.ended(id, answer)
        guard error == nil else { return }
        guard questions.owns(id) else { return input { $0.answered(id, answer, at: $1) } }
        // An answer that was lost is asked for again at the next tick.
        guard let (question, position) = questions.answered(answer) else { return }
        answeredPosition(question, position)
        askEngine()
    }

    func watched(_ id: WatchID, _ batch: EngineWatchBatch) {
        guard error == nil else { return }
        input { $0.watched(id, batch, at: $1) }
    }

    func watchEnded(_ id: WatchID, _ end: EngineWatchEnd) {
        guard error == nil else { return }
        input { $0.watchEnded(id, end, at: $1) }
    }
}
