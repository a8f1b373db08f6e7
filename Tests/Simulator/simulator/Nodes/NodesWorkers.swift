import TestSupport

// Workers, all of them at one node at a time.
extension NodesSimulation {
    /// They do something, where this seed has any.
    func work(isCalm: Bool = false) {
        guard let workers else { return }
        workers.choose(nodes.filter { $0.running?.isStopped == false }, leader: leader(), isCalm: isCalm)
        guard let process = workers.node?.running, !process.isStopped else { return }
        _ = workers.act(on: process, story, isCalm: isCalm)
    }

    /// Holds what they hear against the log.
    func hearWorkers() throws {
        guard let workers, let node = workers.node, let process = node.process else { return }
        try workers.hear(process, world, answers, story, isStale: leader() !== node)
    }

    /// In the end each input is done, or was set aside, by one record.
    func endWork() throws {
        guard let workers else { return }
        for _ in 0..<1_000 {
            try workers.cursor.look(at: world)
            guard !workers.cursor.isAllDone else { return }
            work(isCalm: true)
            try tick(1)
        }
        throw Difference("\(workers.undone)\n\(state)")
    }
}
