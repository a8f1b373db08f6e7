import Glibc
import LoopSupport
import StoryCore
import StoryLog
import StoryServer
import StoryStorage
import TestSupport

// How the processes of nodes begin and end.
extension NodesSimulation {
    func start(_ node: SimulatedNode) throws {
        figures.starts += 1
        story.add("\(node.name) starts")
        node.disk.whenDead = {}
        if habits.diesAtStarts, !isSettling, random.oneIn(4) {
            node.isPowerFailure = random.oneIn(2)
            node.disk.die(in: 1 + below(random.pick(3, 10, 60, 200)), random.pick(.before, .within, .after))
        }
        let made = Result { () throws(StorageError) in
            try SimulatedProcess(
                node.clock, journal: habits.journal, habits, .usual, story, bug, cluster: node.link)
        }
        switch made {
        case .failure(let error):
            guard node.disk.isDead else { throw Difference("\(node.name) does not start: \(error)") }
            try bury(node)
        case .success(let process):
            node.process = process
            guard !node.disk.isDead else { return try bury(node) }
            try started(node, process)
        }
    }

    /// Holds what a start found against what was agreed on.
    private func started(_ node: SimulatedNode, _ process: SimulatedProcess) throws {
        let head = Int(process.store.log.head.value)
        guard head <= world.committed, agreed.ends.contains(head) else {
            throw Difference(
                "\(node.name) starts at \(head), and the log has \(world.committed) events, in whole entries")
        }
        try world.check(process.store.log, from: 1, through: head)
        node.checked = head
        try ModelsCheck().run(process.store.models, world, through: head)
        node.disk.whenDead = { [weak node, weak process] in
            if let node, let process { node.died(process) }
        }
    }

    /// The process is dead: the disk keeps what it keeps, and the node stays down for a while.
    func bury(_ node: SimulatedNode) throws {
        story.add("\(node.name): \(node.isPowerFailure ? "the power failed" : "the process was killed")")
        if let process = node.process { ended(process) }
        node.process?.vanish()
        gone(node)
        if node.isWiped {
            story.add("\(node.name) has lost its disk")
            node.isWiped = false
            node.link.remove()
            node.disk.reviveEmpty()
        } else if node.isPowerFailure {
            figures.crashes += 1
            node.disk.reviveAfterPowerFailure(&random)
        } else {
            figures.kills += 1
            node.disk.reviveAfterKill()
        }
    }

    /// What it did is counted.
    private func ended(_ process: SimulatedProcess) {
        figures.checkpoints += process.checkpoints
        figures.flushes += process.flushes
        figures.terms += process.loop.said(" leading log=")
    }

    /// There is no process of the node any more.
    private func gone(_ node: SimulatedNode) {
        for client in clients where client.isConnected && client.node == node.number { client.disconnected() }
        if workers?.node === node { workers?.disconnected() }
        (node.process, node.ending, node.pausedFor, node.crowd) = (nil, nil, 0, nil)
        // A start may want room, so somebody has made some.
        node.disk.fullness = .none
        node.downFor = isSettling ? 0 : 1 + below(random.pick(2, 20, 60, 200))
    }

    // MARK: Orderly ends

    /// Asks a node to end.
    func stop(_ node: SimulatedNode) {
        guard let process = node.running, node.ending == nil else { return }
        story.add("\(node.name) is asked to end")
        node.ending = 0
        process.loop.server.signalReceived(SIGTERM)
    }

    func endingTicked(_ node: SimulatedNode, _ process: SimulatedProcess) throws {
        guard let ticks = node.ending, !node.disk.isDead else { return }
        node.ending = ticks + 1
        if random.oneIn(2) { process.endAll() }
        guard process.isStopped else {
            guard ticks < 300 else { throw Difference("\(node.name) does not end within thirty seconds") }
            return
        }
        process.loop.server.end()
        try observe()
        guard node.process === process else { return }
        process.store.close()
        guard !node.disk.isDead else { return try bury(node) }
        story.add("\(node.name) ended")
        ended(process)
        figures.stops += 1
        node.disk.beginProcess()
        gone(node)
    }

    // MARK: Looking

    /// Holds everything that happened against what should have.
    func observe() throws {
        try agreed.follow(shared.etcd)
        try world.look(at: agreed.log, committed: agreed.log.head, isFailing: false)
        try answers.checkCommitted()
        for node in nodes where node.isUp { try look(at: node) }
        for client in clients where client.isConnected { try hear(client) }
        try hearWorkers()
        for node in nodes where node.process != nil && node.disk.isDead { try bury(node) }
        for node in nodes { node.crowd?.noteEnds() }
    }

    private func look(at node: SimulatedNode) throws {
        guard let process = node.process else { return }
        if case .isNoNode(let error)? = process.loop.server.ending { throw Difference("\(node.name) ends: \(error)") }
        if let reason = process.stopReason {
            guard !node.disk.struck.isEmpty else { throw Difference("\(node.name) stops: \(reason)") }
            story.add("\(node.name) stops: \(reason)")
            figures.fatalErrors += 1
            return crash(node)
        }
        let acknowledged = node.acknowledged
        guard acknowledged <= world.committed, acknowledged >= node.checked else {
            throw Difference(
                "\(node.name) has \(acknowledged) events for good after \(node.checked), the log \(world.committed)")
        }
        try world.check(process.store.log, from: node.checked + 1, through: acknowledged)
        node.checked = acknowledged
        try process.look()
    }

    private func hear(_ client: Client) throws {
        guard let process = nodes[client.node].process else { return }
        let lines = process.loop.hear(client.name)
        // The directory of the node that decided on an erasure has nothing of it once it is answered.
        answers.isInFiles = { [disk = nodes[client.node].disk] text, _ in disk.fileWith(text, removedSince: .max) }
        for line in twisted?.heard(lines, by: client.name) ?? lines {
            story.add("\(client.name) < \(client.isAskingForFigures && line.hasPrefix("+") ? "figures" : line)")
            figures.answers += 1
            if line.hasPrefix("-"), line.has(#""outcome":"unknown""#) { figures.unknown += 1 }
            try answers.heard(line)
            try client.take(line, world, answers)
        }
        guard nodes[client.node].isUp, !process.isStopped, process.loop.isFinished(client.name) else { return }
        process.loop.close(client.name)
        client.disconnected()
    }

    // MARK: The end

    /// Nothing fails any more: everything is answered, all nodes have the same log, and a write succeeds.
    func settle() throws {
        isSettling = true
        endStrangers()
        shared.etcd.isFull = false
        for node in nodes {
            node.disk.forgive()
            node.disk.fullness = .none
            node.link.isCalm = true
            node.process?.isRebuilding = false
            node.link.cut(.none, for: 0)
            (node.pausedFor, node.downFor) = (0, 0)
        }
        try calm(150)
        while shared.lateCount > 0 { shared.carryOutLate(below(shared.lateCount)) }
        // A node that follows has its clients' writes wait.
        let leader = leader()
        for client in clients where client.isConnected && !client.isQuiet && nodes[client.node] !== leader {
            disconnect(client)
        }
        try calm(150)
        for client in clients where !client.isQuiet {
            throw Difference("never answered: \(client.waiting.first?.line ?? "a half line")\n\(state)")
        }
        try endWork()
        try writeAtTheEnd()
        for client in clients { for follower in client.followers { try follower.checkEnd(world) } }
        try checkNodes()
        if random.oneIn(3) { try setBack() }
        figures.pushes = clients.reduce(0) { $0 + $1.followers.reduce(0) { $0 + $1.pushes } }
        for node in nodes { if let process = node.process { ended(process) } }
        guard random.oneIn(3) else { return }
        for node in nodes {
            stop(node)
            try calm(60)
        }
        try writeAtTheEnd()
        try checkNodes()
    }

    func writeAtTheEnd(mayBeRefused: Bool = false) throws {
        guard let leader = leader() else { throw Difference("no node leads at the end\n\(state)") }
        let client = clients[0]
        if client.node != leader.number || !client.isConnected {
            disconnect(client)
            connect(client)
        }
        var sent: Sent
        var tries = 0
        repeat {
            let (write, line) = draw.writeThatSucceeds(answers.all.count + 1)
            sent = add(.write(write), line, to: client)
            try calm(20)
            tries += 1
            // The ordering service may have had too many entries for long, and be rid of them only now.
        } while sent.status == .refused("busy") && answers.excused.contains("busy") && tries < 3
        if mayBeRefused, sent.status == .refused("unavailable") { return }
        guard sent.status == .done else { throw Difference("the write at the end is \(sent.status)\n\(state)") }
    }

    /// All nodes have the same log, and the models that it makes.
    func checkNodes() throws {
        for node in nodes {
            guard let process = node.process, node.acknowledged == world.committed else {
                throw Difference(
                    "\(node.name) ends at \(node.acknowledged), and the log at \(world.committed)\n\(state)")
            }
            try world.check(process.store.log, from: 1, through: world.committed)
            try ModelsCheck().run(process.store.models, world, through: world.committed)
            for text in world.vanished(at: world.committed) {
                guard let file = node.disk.fileWith(text, removedSince: .max) else { continue }
                throw Difference("\(node.name) has everything, and \(text), which is erased, is in \(file)")
            }
        }
    }

    /// The nodes and the ordering service, for a person.
    var state: String {
        let lines = nodes.map { node in
            guard let process = node.process else { return "\(node.name) is down" }
            return "\(node.name) has \(node.acknowledged) of \(process.store.log.head.value) for good, and has stored "
                + "\(process.store.log.committed.value)"
        }
        return lines.joined(separator: "\n")
            + "\n\(leader()?.name ?? "none") leads, the tail is of \(trouble.tail) bytes and begins at "
            + "\(firstInTail ?? 0), the log ends at \(world.committed)"
    }

    /// Lets everything come to its end.
    ///
    /// - Parameter most: how many ticks that may take.
    func calm(_ most: Int) throws {
        var ticksAtRest = 0
        for _ in 0..<most where ticksAtRest < 12 {
            for client in clients {
                if !client.isConnected { connect(client) }
                if !client.isTaking { setTaking(client, true) }
                deliver(client, client.unsent.count)
            }
            try tick(1)
            ticksAtRest = isAtRest ? ticksAtRest + 1 : 0
        }
    }

    /// True where nothing is left to do.
    private var isAtRest: Bool {
        leader() != nil && clients.allSatisfy { $0.isConnected && $0.isQuiet }
            && nodes.allSatisfy { $0.ending == nil && $0.acknowledged == world.committed }
    }
}
