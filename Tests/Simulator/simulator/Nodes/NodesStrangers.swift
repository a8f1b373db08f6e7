import LoopSupport
import TestSupport

// Others that mean no good: in the place of a node, and at one.
extension NodesSimulation {
    /// For a while, nodes that connect to a node reach another peer.
    func replaceNode() {
        guard let node = nodes.randomElement(using: &strangers),
            let manner = NodeWires.Impostor.Manner.allCases.randomElement(using: &strangers)
        else { return }
        let ticks = 1 + Int.random(in: 0..<strangers.pick(5, 40, 140), using: &strangers)
        story.add("\(node.name) is replaced by one that \(manner), for \(ticks) ticks")
        wires.replace(node.name, by: manner, for: ticks)
    }

    /// Silent clients come to a node, as many as it lets in or a few, and then a good one.
    ///
    /// - Throws: where that one is not let in once silent ones make way, or is not answered.
    func siege() throws {
        guard let node = nodes.filter({ isServing($0) }).randomElement(using: &strangers), let process = node.running
        else { return }
        let crowd = Crowd(of: process.loop)
        node.crowd = crowd
        answers.isRoomScarce = true
        let isRoomFilled = habits.output.all > 1 << 20 && strangers.oneIn(2)
        _ = crowd.come(isRoomFilled ? Habits.Room.usual.connections : 3, &strangers)
        process.turns()
        let most = 10 * (Habits.Room.usual.idle + 2)
        var ticks = 0
        while try !isGreeted(at: process) {
            ticks += 1
            guard ticks <= most else { throw Difference("\(node.name) lets nobody in within \(most) ticks") }
            try tick(1)
            guard isServing(node), node.running === process else { return }
        }
        story.add("\(node.name) lets a client in after \(ticks) ticks")
        process.loop.receive("PING\n", from: NodesSimulation.good)
        for _ in 0..<10 {
            process.turns()
            let lines = process.loop.hear(NodesSimulation.good)
            if lines.contains(where: { $0.hasPrefix("+") }) { return process.loop.close(NodesSimulation.good) }
            try tick(1)
            guard isServing(node), node.running === process else { return }
        }
        throw Difference("\(node.name) does not answer within a second")
    }

    private static let good = "good client"

    private func isServing(_ node: SimulatedNode) -> Bool {
        guard let process = node.running else { return false }
        return !process.isStopped && process.stopReason == nil && node.ending == nil
    }

    /// Connects a client, which hangs up where it is refused.
    private func isGreeted(at process: SimulatedProcess) throws -> Bool {
        process.loop.connect(NodesSimulation.good)
        process.turns()
        guard let line = process.loop.hear(NodesSimulation.good).first else {
            guard process.stopReason == nil, nodes.contains(where: { $0.running === process }) else { return false }
            throw Difference("a client hears nothing")
        }
        if line.hasPrefix("* {\"server\"") { return true }
        guard line.text("code") == "busy" else { throw Difference("a client is not let in: \(line)") }
        process.loop.close(NodesSimulation.good)
        return false
    }

    /// Nobody is there any more that means no good.
    func endStrangers() {
        wires.endImpostors()
        for node in nodes { node.crowd?.hangUp() }
    }
}
