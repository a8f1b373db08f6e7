/// Rows of the specification on a disk whose every sync takes 2 ms: a delay that is preloaded into both servers.
enum SlowRows {
    static var all: [Row] {
        [
            Row(
                id: "S13", title: "a disk whose every sync takes 2 ms",
                shapes: [append(50, 1), append(50, 20), get])
        ]
    }

    /// Enough that nothing depends on which of them is asked for.
    private static func stories(_ size: Size) -> Int { max(1_000, size.million / 100) }

    private static func append(_ clients: Int, _ inflight: Int) -> Shape {
        let loop = Loop(.append, clients: clients, inflight: inflight)
        return Shape(
            name: "durable APPEND, \(loop.name)", unit: "events/s",
            contenders: [
                Contender("storekeep") { stage throws(BenchError) in
                    _ = try stage.store("slow-store", isSlow: true)
                    return try stage.onStore(loop, "slow-store")
                },
                Contender("redis") { stage throws(BenchError) in
                    _ = try stage.redis("slow-redis", isSlow: true)
                    return try stage.onRedis(loop, "slow-redis")
                },
            ], bars: [.ratio(over: "redis", least: 1.0)])
    }

    /// One client gets stories that are durable, one at a time, while 50 clients with 20 in flight append.
    private static var get: Shape {
        let loop = Loop(.append, clients: 50, inflight: 20)
        return Shape(
            name: "one client's GET beside S4's writers, p99", unit: "ms", isCost: true,
            contenders: [
                Contender("storekeep") { stage throws(BenchError) in
                    let server = try stage.store("slow-store", isSlow: true)
                    try stage.fillStories(on: "slow-store", stories(stage.size))
                    let writers = try stage.onStore(loop, "slow-store")
                    return { () throws(BenchError) in
                        try beside(writers, Probe(server, stage.storeLink(server.address, "slow-store")))
                    }
                },
                Contender("redis") { stage throws(BenchError) in
                    let server = try stage.redis("slow-redis", isSlow: true)
                    try stage.fillRedisStories(on: "slow-redis", stories(stage.size))
                    let writers = try stage.onRedis(loop, "slow-redis")
                    return { () throws(BenchError) in
                        let dialect = RedisDialect(stored: stage.stored("slow-redis"))
                        return try beside(writers, Probe(server, Link(server.address, dialect)))
                    }
                },
            ], bars: [.most(2.5)])
    }

    private static func beside(_ writers: Stage.Measure, _ probe: Probe) throws(BenchError) -> Sample {
        _ = try probe.record(writers)
        let waits = try probe.finish()
        return Sample(perSecond: waits.microseconds(0.99) / 1_000, latencies: waits)
    }
}
