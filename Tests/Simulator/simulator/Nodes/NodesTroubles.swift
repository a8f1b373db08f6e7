import LoopSupport
import StoryCluster
import TestSupport

// Troubles of several steps, which seldom come one after the other by themselves.
extension NodesSimulation {
    /// The node that leads does not learn what became of an entry, which it or another one gets past: others write, store, and
    /// remove entries. Then it hears of that, or what was given up is carried out.
    func overtake() throws {
        guard let leader = leader(), leader.running?.isStopped == false else { return }
        let (cut, ticks) = (random.pick(NodeLink.Cut.answers, .answers, .entries), 25 + below(40))
        leader.link.cut(cut, for: ticks)
        for _ in 0..<3 { write(at: leader) }
        leader.running?.turns()
        if cut != .entries { shared.takeLeadAway() }
        let writers = nodes.filter { cut == .entries || $0 !== leader }
        // Entries of one that has given up are written from then on.
        try goOn(ticks + (cut == .entries ? 25 : 5), at: writers)
        carryOutLate(8)
        try goOn(5, at: nodes)
    }

    /// A node loses its disk, once: a second one may lose what the first has not fetched yet. Now and then the others lag, or
    /// the power fails everywhere, so that only their disks have what the ordering service has no more.
    func wipe(_ node: SimulatedNode) throws {
        let node = random.oneIn(2) ? node : leader() ?? node
        guard !isWiped, node.isUp else { return }
        if random.oneIn(2) {
            for other in nodes where other !== node { other.link.cut(.both, for: 40) }
            try goOn(20 + below(20), at: [node])
        }
        let isSafe = nodes.contains { $0 !== node && $0.stored >= trimmedAlone ?? .max }
        guard isSafe, node.isUp else { return }
        (isWiped, node.isWiped) = (true, true)
        crash(node)
        guard random.oneIn(2) else { return }
        for node in nodes { crash(node, isPowerFailure: true) }
    }

    /// The disk of a node has no room any more, or room again.
    func fillDisk(_ node: SimulatedNode) {
        guard node.isUp else { return }
        node.disk.fullness = node.disk.fullness == .none ? random.pick(.growth, .growth, .writes) : .none
        if node.disk.fullness != .none { figures.full += 1 }
    }

    /// The ordering service is set back to an earlier state, while all nodes run and have everything: the first one that
    /// asks it says so, and they go on behind what they have, which is on no disk of the service any more. Others may not
    /// notice, since the revision has grown past the one that they know.
    func setBack() throws {
        let earlier = shared.etcd
        for _ in 0...below(3) { try writeAtTheEnd() }
        try calm(60)
        try checkNodes()
        let acknowledged = world.committed
        story.add("the ordering service is set back from \(shared.etcd.revision) to \(earlier.revision)")
        shared.etcd = earlier
        agreed.setBack(to: earlier.revision)
        try calm(150)
        guard nodes.contains(where: { ($0.running?.loop.said("engine-set-back") ?? 0) > 0 }) else {
            throw Difference("no node notices that the ordering service was set back\n\(state)")
        }
        // The node that leads may learn by its write that another one may lead.
        try writeAtTheEnd(mayBeRefused: true)
        try calm(150)
        try writeAtTheEnd()
        try calm(60)
        guard world.committed > acknowledged else { throw Difference("an acknowledged event is gone\n\(state)") }
        try checkNodes()
    }

    /// Has the ordering service get calls that were given up.
    ///
    /// - Parameter most: the number of them, at most.
    func carryOutLate(_ most: Int) {
        for _ in 0..<most where shared.lateCount > 0 { shared.carryOutLate(below(shared.lateCount)) }
    }

    /// Clients write at nodes, which store what they have, for some tenths of a second.
    private func goOn(_ ticks: Int, at writers: [SimulatedNode]) throws {
        for _ in 0..<ticks {
            if random.oneIn(2), let node = writers.randomElement(using: &random) { write(at: node) }
            for node in writers { node.running?.endAll() }
            try tick(1)
        }
    }
}
