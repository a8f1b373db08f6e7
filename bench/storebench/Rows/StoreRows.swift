import Foundation

/// Rows of the specification that measure Storykeep alone.
enum StoreRows {
    static var all: [Row] { [footprint, scale] }

    private static var footprint: Row {
        Row(
            id: "S11", title: "1,000,000 stories stored",
            shapes: [
                Shape(
                    name: "memory that is not the file map", unit: "MiB", isCost: true, rounds: 1,
                    contenders: [
                        Contender("storekeep") { stage throws(BenchError) in
                            try stage.fillStore(.users, Content.users)
                            try stage.fillStore(.post, stage.size.million)
                            try stage.fillStore(.get, 100_000)
                            let server = try stage.store()
                            return { () throws(BenchError) in
                                Sample(perSecond: Double(server.status("RssAnon") ?? 0) / 1_048_576)
                            }
                        }
                    ], bars: [.most(64)]),
                Shape(
                    name: "disk over the events' bytes", unit: "×", isCost: true, rounds: 1,
                    contenders: [
                        Contender("storekeep") { stage throws(BenchError) in
                            { () throws(BenchError) in try diskRatio(stage) }
                        }
                    ], bars: [.most(3)]),
                Shape(
                    name: "first answer after start", unit: "ms", isCost: true,
                    contenders: [
                        Contender("storekeep") { stage throws(BenchError) in
                            { () throws(BenchError) in try firstAnswer(stage) }
                        }
                    ], bars: [.most(100)]),
            ])
    }

    /// What the data directory takes, over what its events are on the wire.
    private static func diskRatio(_ stage: Stage) throws(BenchError) -> Sample {
        let server = try stage.store()
        let bytes = Follow.bytes(server.address, events: stage.size.million + Content.users)
        return Sample(perSecond: Double(stage.folder.bytesOnDisk("data")) / Double(bytes))
    }

    /// From the start of the process to its first answer to `GET`.
    private static func firstAnswer(_ stage: Stage) throws(BenchError) -> Sample {
        stage.stop("store")
        let began = Clock.now()
        try stage.fillStore(.get, 1)
        return Sample(perSecond: Clock.seconds(since: began) * 1_000)
    }

    private static var scale: Row {
        func sized(_ name: String, _ events: @escaping (Size) -> Int) -> Contender {
            Contender(name) { stage throws(BenchError) in
                let folder = try Folder(name)
                let server = try stage.service(name) { _ throws(BenchError) in try Services.store(in: folder) }
                var number = events(stage.size)
                Load((0..<10).map { _ in Link(server.address, StoreDialect()) }, .append, inflight: 200)
                    .run(requests: number)
                return { () throws(BenchError) in
                    let load = Load(
                        (0..<50).map { _ in Link(server.address, StoreDialect()) }, .append, inflight: 20, from: number)
                    // Not for a time: what is measured makes the small store larger, and that must not be by much.
                    let seconds = load.run(requests: max(2_000, stage.size.small / 5))
                    number = load.next
                    withExtendedLifetime(folder) {}
                    return Sample(perSecond: seconds * 1e6 / Double(load.latencies.count), latencies: load.latencies)
                }
            }
        }
        return Row(
            id: "S12", title: "cost of an event",
            shapes: [
                Shape(
                    name: "50 clients, 20 in flight", unit: "µs", isCost: true,
                    contenders: [sized("at-10,000,000") { $0.large }, sized("at-100,000") { $0.small }],
                    bars: [.cost(over: "at-100,000", most: 1.25)])
            ])
    }
}
