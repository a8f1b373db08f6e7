/// Rows of the specification that write.
enum WriteRows {
    static var all: [Row] { [single, many, pipelined, both, stories] }

    private static func append(
        _ clients: Int, _ inflight: Int, isPinned: Bool = false, others: [Contender], bars: [Bar]
    ) -> Shape {
        let loop = Loop(.append, clients: clients, inflight: inflight)
        let own: [Contender] = [
            Contender("storekeep") { stage throws(BenchError) in try stage.onStore(loop) },
            Contender("redis") { stage throws(BenchError) in try stage.onRedis(loop) },
        ]
        return Shape(
            name: loop.name, unit: "events/s", isPinned: isPinned, contenders: own + others, bars: bars)
    }

    /// A program that works in its own process, on a directory of its own.
    private static func embedded(_ name: String, batch: Int) -> Contender {
        Contender(name) { stage throws(BenchError) in
            let directory = stage.folder.path + "/\(name)-\(batch)"
            let words = ["append", "--dir", directory, "--seconds", "\(stage.size.seconds)", "--batch", "\(batch)"]
            _ = try Peers.program(name)
            return { () throws(BenchError) in try Peers.run(name, words) }
        }
    }

    private static func postgres(_ clients: Int, _ inflight: Int) -> Contender {
        Contender("postgres") { stage throws(BenchError) in
            let server = try stage.service("postgres") { folder throws(BenchError) in try Services.postgres(in: folder)
            }
            let words = [
                "append", "--socket", server.address, "--seconds", "\(stage.size.seconds)", "--clients", "\(clients)",
                "--inflight", "\(inflight)",
            ]
            return { () throws(BenchError) in try Peers.run("postgres", words) }
        }
    }

    private static var umadb: Contender {
        Contender("umadb") { stage throws(BenchError) in
            let server = try stage.service("umadb") { folder throws(BenchError) in try Services.umadb(in: folder) }
            let words = ["append", "--url", try Peers.url(server), "--seconds", "\(stage.size.seconds)"]
            return { () throws(BenchError) in try Peers.run("umadb", words) }
        }
    }

    private static var single: Row {
        Row(
            id: "S1", title: "durable APPEND",
            shapes: [
                append(
                    1, 1, isPinned: true,
                    others: [embedded("lmdb", batch: 1), embedded("sqlite", batch: 1), postgres(1, 1), umadb],
                    bars: [.ratio(over: "redis", least: 1.15), .ratio(over: "lmdb", least: 1)])
            ])
    }

    private static var many: Row {
        Row(
            id: "S2", title: "durable APPEND",
            shapes: [append(50, 1, others: [postgres(50, 1)], bars: [.ratio(over: "redis", least: 1.2)])])
    }

    private static var pipelined: Row {
        Row(
            id: "S3", title: "durable APPEND",
            shapes: [
                append(
                    1, 100, others: [embedded("lmdb", batch: 100), embedded("sqlite", batch: 100), postgres(1, 100)],
                    bars: [.ratio(over: "redis", least: 1.6)])
            ])
    }

    private static var both: Row {
        Row(
            id: "S4", title: "durable APPEND",
            shapes: [
                append(
                    50, 20, others: [embedded("lmdb", batch: 1_000), postgres(50, 20)],
                    bars: [.ratio(over: "redis", least: 1.25)])
            ])
    }

    private static var stories: Row {
        Row(
            id: "S10", title: "POST stories, all read models kept",
            shapes: [Loop(.post, clients: 50), Loop(.post, inflight: 100)].map { loop in
                Shape(
                    name: loop.name, unit: "stories/s",
                    contenders: [
                        Contender("storekeep") { stage throws(BenchError) in
                            if stage.isFirst("users") { try stage.fillStore(.users, Content.users) }
                            return try stage.onStore(loop)
                        },
                        Contender("redis") { stage throws(BenchError) in try stage.onRedis(loop) },
                    ], bars: [.ratio(over: "redis", least: 2.0)])
            })
    }
}
