import Foundation

/// A node that joins with an empty directory, again and again under the same name.
enum Seeding {
    static let node = "n3"
    /// Clients with no pause between their requests would take a core from those that seed.
    private static let pause: UInt32 = 2_000

    /// The figures of one join.
    struct Round {
        let eventsPerSecond: Double
        /// The p99 of one client at the node that leads, as a multiple of that without a join.
        let get: Sample
        let append: Sample
    }

    static func measure(_ stage: Stage) throws(BenchError) -> Round {
        let leader = try stage.roles().leader
        stage.stop(node)
        try? FileManager.default.removeItem(atPath: stage.data(node))
        let alone = try waits(stage, at: leader) { () throws(BenchError) in _ = usleep(UInt32(stage.size.seconds * 3e6))
        }
        var rate = 0.0
        let beside = try waits(stage, at: leader) { () throws(BenchError) in rate = try join(stage, leader) }
        return Round(
            eventsPerSecond: rate, get: ratio(beside.get, over: alone.get),
            append: ratio(beside.append, over: alone.append))
    }

    /// The events in a second from the start of the process until it has those that the leader had then.
    private static func join(_ stage: Stage, _ leader: String) throws(BenchError) -> Double {
        let reply = Link(try stage.node(leader).address, TextDialect()).reply(to: "PING")
        guard let position = Member.number("\"position\":", of: reply) else { throw BenchError("PING: \(reply)") }
        let began = Clock.now()
        let link = stage.storeLink(try stage.node(node).address)
        while !link.ask("PING min=\(position)") {
            guard Clock.seconds(since: began) < 120 else { throw BenchError("a node is not seeded within two minutes") }
        }
        return Double(position) / Clock.seconds(since: began)
    }

    /// What two clients at a node wait for meanwhile, each with one request at a time.
    private static func waits(
        _ stage: Stage, at leader: String, _ work: () throws(BenchError) -> Void
    ) throws(BenchError) -> (get: Histogram, append: Histogram) {
        let server = try stage.node(leader)
        let get = Probe(server, stage.storeLink(server.address, leader), pause: pause)
        let append = Probe(server, stage.storeLink(server.address, leader), .append, pause: pause)
        try get.record { () throws(BenchError) in try append.record(work) }
        return (try get.finish(), try append.finish())
    }

    private static func ratio(_ beside: Histogram, over alone: Histogram) -> Sample {
        Sample(perSecond: beside.microseconds(0.99) / max(alone.microseconds(0.99), 1e-3), latencies: beside)
    }
}
