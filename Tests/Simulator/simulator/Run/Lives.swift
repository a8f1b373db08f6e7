import Glibc
import LoopSupport
import StoryCore
import StoryLog
import StoryFold
import StoryStore
import StoryServer
import StoryStorage
import TestSupport

// How processes begin and end.
extension Simulation {
    /// Starts the daemon, as often as it takes.
    func start() throws {
        process = nil
        while true {
            figures.starts += 1
            story.add("start")
            disk.whenDead = {}
            try putBack()
            (wasMoved, received) = (false, 0)
            // The first start makes all names, and is the one that leaves most unfinished.
            if habits.diesAtStarts, !isSettling, cluster == nil || cluster?.shared != nil,
                random.oneIn(figures.starts == 1 ? 1 : 3)
            {
                isPowerFailure = random.oneIn(2)
                disk.die(in: 1 + below(random.pick(3, 10, 60, 200)), random.pick(.before, .within, .after))
            }
            let journal = habits.changesJournal && random.oneIn(3) ? 65_536 + 65_536 * below(2) : habits.journal
            let made = Result { () throws(StorageError) in
                try SimulatedProcess(
                    clock, journal: journal, habits, isSettling ? .usual : habits.room, story, bug, cluster: cluster)
            }
            switch made {
            case .success(let process):
                do {
                    try catchUp(process)
                } catch {
                    process.vanish()
                    throw error
                }
                guard disk.isDead else { return try started(process) }
                process.vanish()
            case .failure(let error): try notStarted(error)
            }
            revive()
        }
    }

    /// Has a node take what it had not synced, from an ordering service that answers.
    private func catchUp(_ process: SimulatedProcess) throws {
        guard let cluster, let shared = cluster.shared else { return }
        let wasCalm = cluster.isCalm
        cluster.isCalm = true
        for _ in 0..<200 where !disk.isDead && !process.isStopped && process.store.log.head < shared.end {
            process.tick()
            process.endAll()
            process.turns()
        }
        cluster.isCalm = wasCalm
        guard !disk.isDead else { return }
        try cluster.check(process)
        guard process.store.log.head == shared.end else {
            throw Difference("the node is at \(process.store.log.head.value), etcd at \(shared.end.value)")
        }
        world.onlyCommittedIsKept()
    }

    private func notStarted(_ error: StorageError) throws {
        story.add("it does not start: \(error)")
        guard !disk.isDead else { return }
        guard !disk.struck.isEmpty else { throw Difference("it does not start: \(error)") }
        ended()
        if random.oneIn(2) { disk.fullness = .none }
        // It ended by itself; the power may fail all the same.
        isPowerFailure = random.oneIn(3)
        disk.die()
    }

    private func started(_ process: SimulatedProcess) throws {
        self.process = process
        answers.isRoomScarce = habits.room.isScarce && !isSettling
        answers.isMemoryScarce = habits.output.all < 1 << 20
        try world.restart(with: process.store.log, promised: answers.promised)
        try answers.restarted()
        try models.run(process.store.models, world, through: world.head)
        if !disk.isDead, disk.struck.isEmpty {
            // Definitions that read erased events are built again.
            try models.run(
                process.modelFolders, world, through: world.head, isWhole: false,
                isActivatedHere: cluster == nil && world.erasers.isEmpty)
        }
        disk.whenDead = { [weak self, weak process] in
            if let process { self?.died(process) }
        }
    }

    /// The process is dead now: what it holds in memory is looked at for the last time.
    private func died(_ process: SimulatedProcess) {
        process.loop.transport.isCut = true
        do { try look(at: process) } catch { lastLook = error }
    }

    private func look(at process: SimulatedProcess) throws {
        guard let cluster else {
            let log = process.store.log
            return try world.look(at: log, committed: log.committed, isFailing: !disk.struck.isEmpty)
        }
        try cluster.check(process)
        answers.excused.formUnion(["unavailable", "full"])
        try world.look(at: process.store.log, committed: process.loop.server.acknowledged, isFailing: false)
    }

    /// The next process finds what this one has left.
    func bury() throws {
        story.add(isPowerFailure ? "the power failed" : "the process was killed")
        if let process { ended(process) }
        process?.vanish()
        process = nil
        ended()
        revive()
        try start()
    }

    /// What it did is counted.
    private func ended(_ process: SimulatedProcess) {
        figures.rollBacks += process.loop.said(" full reason=")
        figures.checkpoints += process.checkpoints
        figures.flushes += process.flushes
    }

    private func ended() {
        for client in clients { client.disconnected() }
        disconnectOthers()
        (isStopping, answers.excused, crowd) = (false, [], nil)
        figures.faults += disk.struck.values.reduce(0, +)
    }

    private func revive() {
        if isPowerFailure {
            figures.crashes += 1
            disk.reviveAfterPowerFailure(&random)
        } else {
            figures.kills += 1
            disk.reviveAfterKill()
        }
        disk.faults.removeAll(where: \.isOver)
    }

    // MARK: Looking

    /// Holds everything that happened against what should have.
    func observe() throws {
        guard let process else { return }
        if !disk.isDead { try look(at: process) }
        if let lastLook { throw lastLook }
        if !disk.struck.isEmpty { answers.excused.formUnion(["full", "busy", "internal"]) }
        if wasMoved { answers.excused.insert("internal") }
        if answers.areRowsSuspect { answers.excused.formUnion(["busy", "internal"]) }
        try process.look()
        if isStopping { answers.excused.insert("draining") }
        try answers.checkCommitted()
        for client in clients where client.isConnected { try hear(client, process) }
        try hearOthers(process)
        if disk.isDead { return try bury() }
        crowd?.noteEnds()
        guard let reason = process.stopReason else { return }
        guard !disk.struck.isEmpty || wasMoved else { throw Difference("it stops without a reason: \(reason)") }
        story.add("it stops: \(reason)")
        figures.fatalErrors += 1
        isPowerFailure = random.oneIn(2)
        disk.die()
        try bury()
    }

    private func hear(_ client: Client, _ process: SimulatedProcess) throws {
        let lines = process.loop.hear(client.name)
        for line in twisted?.heard(lines, by: client.name) ?? lines {
            // What the daemon tells of itself is of the system, and not of the seed.
            story.add("\(client.name) < \(client.isAskingForFigures && line.hasPrefix("+") ? "figures" : line)")
            figures.answers += 1
            if line.hasPrefix(">"), line.utf8.count < 64, line.has(#"{"again":"#) { figures.restarts += 1 }
            try answers.heard(line)
            try client.take(line, world, answers)
        }
        guard !disk.isDead, !process.isStopped, process.loop.isFinished(client.name) else { return }
        process.loop.close(client.name)
        client.disconnected()
    }

    // MARK: Orderly ends

    /// Asks the daemon to stop, and starts it again.
    func stop() throws {
        guard let first = process else { return }
        isStopping = true
        first.loop.server.signalReceived(SIGTERM)
        try observe()
        var ticks = 0
        while let process, process === first, !process.isStopped {
            guard ticks < (cluster == nil ? 80 : 200) else { throw Difference("it does not stop within eight seconds") }
            ticks += 1
            if random.oneIn(2) { process.endAll() }
            process.tick()
            try observe()
        }
        guard let process, process === first else { return }
        process.loop.server.end()
        try observe()
        guard self.process === process else { return }
        // A node may find more in its ordering service when it starts again.
        let (isUntouched, isRebuilding, head) = (isUntouched, process.isRebuilding, process.store.log.head)
        process.store.close()
        guard !disk.isDead else { return try bury() }
        ended(process)
        self.process = nil
        figures.stops += 1
        story.add("it stopped")
        ended()
        disk.beginProcess()
        let (faults, crashes) = (figures.faults, figures.crashes)
        try start()
        // A start that was struck may have folded anew.
        guard isUntouched, cluster == nil || isSettling, let now = self.process, disk.struck.isEmpty,
            figures.faults == faults
        else { return }
        // A power failure brings back the note of damage that the simulation made and removed.
        guard !isRebuilding || figures.crashes == crashes else { return }
        guard now.store.models.checkpointed == head else {
            throw Difference("it stopped well, and the models are at \(now.store.models.checkpointed.value)")
        }
    }

    /// Nothing fails any more: everything is answered, everybody is told everything, and all is the same after a stop.
    func settle() throws {
        isSettling = true
        cluster?.isCalm = true
        disk.forgive()
        disk.fullness = .none
        // What was excused is so no more.
        try stop()
        try calm()
        guard let process else { throw Difference("it does not run in the end") }
        for client in clients {
            guard client.isQuiet else {
                throw Difference("never answered: \(client.waiting.first?.line ?? "a half line")")
            }
            for follower in client.followers { try follower.checkEnd(world) }
        }
        try endWork()
        try endWideWrites()
        answers.isModelReady = true
        let pages = answers.pages
        try askAtTheEnd(pages.map { .page(after: $0) })
        try askAtTheEnd(Query.last)
        try askAtTheEnd(answers.pages.map { .page(after: $0) })
        try models.run(process.store.models, world, through: world.head)
        try models.run(process.modelFolders, world, through: world.head, isWhole: true)
        figures.pushes = clients.reduce(0) { $0 + $1.followers.reduce(0) { $0 + $1.pushes } }
        try stop()
        try stop()
    }

    private func askAtTheEnd(_ queries: [Query]) throws {
        for query in queries { add(.query(query), query.text, to: clients[0]) }
        try calm()
        guard clients[0].isQuiet else { throw Difference("never answered: \(clients[0].waiting[0].line)") }
    }

    /// Lets everything come to its end.
    private func calm() throws {
        for _ in 0..<60 {
            guard let process else { return }
            for client in clients {
                if !client.isConnected { connect(client, process) }
                if !client.isTaking { setTaking(client, true, process) }
                deliver(client, process, client.unsent.count)
            }
            process.endAll()
            process.tick()
            process.endAll()
            isQuiet = process.turns()
            try checkAccount(process, isExact: true)
            try observe()
            try checkFutures()
        }
    }
}
