/// Rows of the specification that read.
enum ReadRows {
    static var all: [Row] { [get, stream, tag, follow, fanout, replay] }

    /// A loop on both, each filled in by what comes before it.
    private static func both(
        _ loop: Loop, unit: String, least: Double,
        fillStore: @escaping (Stage) throws(BenchError) -> Void,
        fillRedis: @escaping (Stage) throws(BenchError) -> Void, others: [Contender] = []
    ) -> Shape {
        Shape(
            name: loop.name, unit: unit, isPinned: loop.clients == 1 && loop.inflight == 1,
            contenders: [
                Contender("storekeep") { stage throws(BenchError) in
                    try fillStore(stage)
                    return try stage.onStore(paged(loop, stage, "store"))
                },
                Contender("redis") { stage throws(BenchError) in
                    try fillRedis(stage)
                    return try stage.onRedis(paged(loop, stage, "redis"))
                },
            ] + others, bars: [.ratio(over: "redis", least: least)])
    }

    /// The page of a loop that reads streams: as long as they are.
    private static func paged(_ loop: Loop, _ stage: Stage, _ name: String) -> Loop {
        var loop = loop
        if [.read, .readTag].contains(loop.work) { loop.page = stage.stored(name).page }
        return loop
    }

    private static var get: Row {
        Row(
            id: "S5", title: "GET of a story", data: .stories,
            shapes: [(Loop(.get, clients: 50), 1.0), (Loop(.get, inflight: 100), 1.2)].map { loop, least in
                both(
                    loop, unit: "requests/s", least: least,
                    fillStore: { stage throws(BenchError) in try stage.fillStories() },
                    fillRedis: { stage throws(BenchError) in try stage.fillRedisStories() })
            })
    }

    private static var stream: Row {
        Row(
            id: "S6", title: "READ 100 events of one stream", data: .events,
            shapes: [(Loop(.read), [sqliteStream]), (Loop(.read, clients: 50), [])].map { loop, others in
                both(
                    loop, unit: "requests/s", least: 1.0,
                    fillStore: { stage throws(BenchError) in try stage.fillEvents() },
                    fillRedis: { stage throws(BenchError) in try stage.fillRedisEvents() }, others: others)
            })
    }

    /// The same events by their tag and by their stream.
    private static var tag: Row {
        Row(
            id: "S17", title: "READ of the 100 events of one tag",
            shapes: [1, 50].map { clients in
                let name = Loop(.readTag, clients: clients).name
                let contenders = [("storekeep", Work.readTag), ("by stream", .read)].map { name, work in
                    Contender(name) { stage throws(BenchError) in
                        if stage.isFirst("store has tags") { try stage.fillStore(.appendTagged, stage.size.streamed) }
                        return try stage.onStore(paged(Loop(work, clients: clients), stage, "store"))
                    }
                }
                return Shape(
                    name: name, unit: "requests/s", isPinned: clients == 1, contenders: contenders,
                    bars: [.ratio(over: "by stream", least: 0.8)])
            })
    }

    private static var sqliteStream: Contender {
        Contender("sqlite") { stage throws(BenchError) in
            let directory = stage.folder.path + "/sqlite"
            // Its program wants 100 events in each of the streams.
            let events = "\(max(100_000, stage.size.streamed))"
            _ = try Peers.run("sqlite", ["fill", "--dir", directory, "--events", events])
            let words = ["readstream", "--dir", directory, "--events", events, "--seconds", "\(stage.size.seconds)"]
            return { () throws(BenchError) in try Peers.run("sqlite", words) }
        }
    }

    private static var follow: Row {
        Row(
            id: "S7", title: "every event in order to one subscriber", data: .events,
            shapes: [
                Shape(
                    name: "1 subscriber", unit: "events/s",
                    contenders: [
                        Contender("storekeep") { stage throws(BenchError) in
                            let events = stage.size.streamed
                            try stage.fillEvents()
                            let path = try stage.store().address
                            return { () throws(BenchError) in
                                Sample(perSecond: Double(events) / Follow.store(path, events: events))
                            }
                        },
                        redisLog(\.streamed),
                        served("nats", Services.nats),
                        served("umadb", Services.umadb),
                        program("lmdb", "fill", "read") { stage throws(BenchError) in
                            ["--dir", stage.folder.path + "/lmdb"]
                        },
                    ], bars: [.ratio(over: "redis", least: 2.2), .ratio(over: "nats", least: 2.2)])
            ])
    }

    /// Reading the log of all in pages.
    private static func redisLog(_ amount: KeyPath<Size, Int>) -> Contender {
        Contender("redis") { stage throws(BenchError) in
            let events = stage.size[keyPath: amount]
            try stage.fillRedis(events) { $0.log($1, &$2) }
            let path = try stage.redis().address
            return { () throws(BenchError) in
                Sample(perSecond: Double(events) / Follow.redis(path, events: events))
            }
        }
    }

    /// A peer's program that fills its store with as many events, and then reads them all.
    private static func program(
        _ name: String, _ fill: String, _ read: String, _ amount: KeyPath<Size, Int> = \.streamed,
        _ place: @escaping (Stage) throws(BenchError) -> [String]
    ) -> Contender {
        Contender(name) { stage throws(BenchError) in
            _ = try Peers.program(name)
            let words = try place(stage)
            _ = try Peers.run(name, [fill] + words + ["--events", "\(stage.size[keyPath: amount])"])
            return { () throws(BenchError) in try Peers.run(name, [read] + words) }
        }
    }

    /// The same for a peer whose server is told of by a URL.
    private static func served(
        _ name: String, _ start: @escaping (Folder) throws(BenchError) -> Service
    ) -> Contender {
        program(name, "fill", "read") { stage throws(BenchError) in
            ["--url", try Peers.url(try stage.service(name, start))]
        }
    }

    private static var fanout: Row {
        Row(
            id: "S8", title: "100 subscribers of all events, one writer",
            shapes: [
                Shape(
                    name: "100 in flight", unit: "deliveries/s",
                    contenders: [
                        Contender("storekeep") { stage throws(BenchError) in
                            let path = try stage.store().address
                            return { () throws(BenchError) in
                                Sample(
                                    perSecond: Fanout.store(path, subscribers: 100)
                                        .run(seconds: stage.size.seconds, inflight: 100))
                            }
                        },
                        Contender("redis") { stage throws(BenchError) in
                            let path = try stage.redis().address
                            return { () throws(BenchError) in
                                Sample(
                                    perSecond: Fanout.redis(path, subscribers: 100)
                                        .run(seconds: stage.size.seconds, inflight: 100))
                            }
                        },
                    ], bars: [.ratio(over: "redis", least: 1.3)])
            ])
    }

    private static var replay: Row {
        Row(
            id: "S9", title: "replay of domain events into all models, others only reading",
            shapes: [
                Shape(
                    name: "1 command", unit: "events/s",
                    contenders: [
                        Contender("storekeep") { stage throws(BenchError) in
                            let events = try fillDomain(stage)
                            stage.stop("store")
                            let words = [
                                Services.programs + "/storectl", "--data", stage.folder.path + "/data", "replay",
                            ]
                            return { () throws(BenchError) in
                                Sample(perSecond: Double(events) / (try Command.seconds(words)))
                            }
                        },
                        redisLog(\.million),
                        program("postgres", "fill", "read", \.million) { stage throws(BenchError) in
                            let server = try stage.service("postgres") { folder throws(BenchError) in
                                try Services.postgres(in: folder)
                            }
                            return ["--socket", server.address]
                        },
                    ], bars: [.ratio(over: "redis", least: 1), .ratio(over: "postgres", least: 3)])
            ])
    }

    /// Users, then what they do. Returns how many events there are.
    private static func fillDomain(_ stage: Stage) throws(BenchError) -> Int {
        try stage.fillStore(.users, Content.users)
        try stage.fillStore(.domain, stage.size.million)
        return stage.size.million + Content.users
    }
}
