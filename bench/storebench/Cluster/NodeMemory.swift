/// The memory of nodes that is not the file map, beside that of a single store with the same events.
enum NodeMemory {
    /// The differences in MiB.
    struct Round {
        let leader: Double
        let follower: Double
    }

    /// Starts all of them again, and appends the same events.
    static func measure(_ stage: Stage) throws(BenchError) -> Round {
        for name in [Seeding.node] + Stage.pair.reversed() + [Stage.single] { stage.stop(name) }
        _ = try stage.leader(of: [Stage.pair[0]])
        let (leader, follower) = try stage.roles()
        let (leading, following) = (try stage.node(leader), try stage.node(follower))
        let single = try stage.store(Stage.single)
        for server in [single, leading] {
            let load = Load((0..<50).map { _ in stage.storeLink(server.address) }, .append, inflight: 20)
            load.run(requests: stage.size.small)
            guard load.failures == 0 else { throw BenchError("\(load.failures) events were refused") }
        }
        guard stage.storeLink(following.address).ask("PING min=now") else { throw BenchError("\(follower) is behind") }
        let alone = single.anonymousMebibytes
        return Round(leader: leading.anonymousMebibytes - alone, follower: following.anonymousMebibytes - alone)
    }
}
