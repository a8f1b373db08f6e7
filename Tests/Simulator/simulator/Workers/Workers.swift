import LoopSupport
import StoryCore
import StoryServer
import TestSupport

/// The workers of a run, whose draws are their own, so that the rest of a seed does not depend on them.
final class Workers {
    let cursor: CursorWorld
    /// The node that they are at, where there are several; nil before they are at any.
    private(set) weak var node: SimulatedNode?
    private let workers: [SimulatedWorker]
    private var random: SplitMix64
    private var writes = 0

    /// - Parameter areOfNodes: true where there are several nodes, of which one at a time takes writes.
    private init(_ random: SplitMix64, areOfNodes: Bool) {
        self.random = random
        cursor = CursorWorld(&self.random)
        workers = (1...Int.random(in: 1...4, using: &self.random)).map { [cursor] in
            SimulatedWorker("worker \($0)", cursor, isOfNodes: areOfNodes)
        }
    }

    /// Draws the workers of a seed; nil where it has none.
    static func drawn(_ seed: UInt64, _ habits: Habits, areOfNodes: Bool = false) -> Workers? {
        guard habits.steps % 4 == 1 else { return nil }
        return Workers(SplitMix64(seed: seed ^ 0x776F_726B), areOfNodes: areOfNodes)
    }

    /// What is wrong where not all is done in the end.
    var undone: Difference { Difference("the shares are at \(cursor.at), and not all is done: \(cursor.parked)") }

    /// Has some of them do something; returns the number of bytes that they sent.
    ///
    /// - Parameter isCalm: true where they do all that they get.
    func act(on process: SimulatedProcess, _ story: Story, isCalm: Bool = false) -> Int {
        var sent = 0
        for worker in workers where isCalm || random.oneIn(2) {
            guard worker.isConnected else {
                process.loop.connect(worker.name)
                worker.connected()
                continue
            }
            guard isCalm || !random.oneIn(16) else {
                process.loop.close(worker.name)
                worker.disconnected()
                story.add("\(worker.name) leaves")
                continue
            }
            guard !process.loop.isPaused(worker.name) else { continue }
            writes += 1
            guard let line = worker.request(writes, &random, isCalm: isCalm) else { continue }
            story.add("\(worker.name) > \(line)")
            process.loop.receive(line + "\n", from: worker.name)
            sent += line.utf8.count + 1
        }
        return sent
    }

    /// Has them go to another node now and then, most of the time to the one that leads.
    ///
    /// - Parameter isCalm: true where they are at the one that leads only.
    func choose(_ nodes: [SimulatedNode], leader: SimulatedNode?, isCalm: Bool) {
        let wanted = isCalm || !random.oneIn(8) ? leader : nodes.randomElement(using: &random)
        guard let wanted, wanted !== node, node == nil || isCalm || random.oneIn(8) else { return }
        if let process = node?.process, !process.isStopped {
            for worker in workers where worker.isConnected { process.loop.close(worker.name) }
        }
        disconnected()
        node = wanted
    }

    /// Holds what they hear against the log.
    ///
    /// - Parameter isStale: true where another node may have moved the cursor.
    func hear(
        _ process: SimulatedProcess, _ world: World, _ answers: Answers, _ story: Story, isStale: Bool = false
    ) throws {
        try cursor.look(at: world)
        for worker in workers where worker.isConnected {
            for line in process.loop.hear(worker.name) {
                story.add("\(worker.name) < \(line)")
                try answers.heard(line)
                try worker.take(line, world, answers, isStale: isStale)
            }
            guard !process.isStopped, process.loop.isFinished(worker.name) else { continue }
            process.loop.close(worker.name)
            worker.disconnected()
        }
    }

    /// The process is gone, and their connections with it.
    func disconnected() {
        for worker in workers { worker.disconnected() }
        node = nil
    }
}

// How workers take part in a run.
extension Simulation {
    /// They do something, where this seed has any, and so does one whose writes change much.
    func work(_ process: SimulatedProcess) {
        guard self.process === process, !disk.isDead, !process.isStopped else { return }
        received += workers?.act(on: process, story) ?? 0
        received += wide?.act(on: process, story) ?? 0
    }

    /// Holds what these hear against the log, and the steps of folds against their share.
    func hearOthers(_ process: SimulatedProcess) throws {
        try workers?.hear(process, world, answers, story)
        try wide?.hear(process, answers, story)
        let excess = process.loop.server.longestFolds.step
        guard excess <= Work(microseconds: 500) else { throw Difference("a step of a fold was \(excess) too long") }
    }

    func disconnectOthers() {
        workers?.disconnected()
        wide?.disconnected()
    }

    /// In the end each input is done, or was set aside, by one record.
    func endWork() throws {
        guard let workers else { return }
        for _ in 0..<2_000 {
            guard let process else { throw Difference("it does not run in the end") }
            try workers.cursor.look(at: world)
            guard !workers.cursor.isAllDone else { return }
            received += workers.act(on: process, story, isCalm: true)
            process.endAll()
            process.tick()
            process.endAll()
            isQuiet = process.turns()
            try observe()
        }
        throw workers.undone
    }
}
