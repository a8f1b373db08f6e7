/// Rows of the table about workers of a cursor.
enum WorkerRows {
    /// One output for each input, in the commit that moves the cursor, beside the same outputs without a cursor.
    static var row: Row {
        Row(
            id: "S19", title: "an output for each input of a cursor, window \(Workers.window)",
            shapes: [1, 8].map { count in
                Shape(
                    name: count == 1 ? "one holder" : "\(count) shares", unit: "outputs/s",
                    contenders: [
                        store("storekeep", workers: count, hasCursor: true),
                        store("without a cursor", workers: count, hasCursor: false),
                        redis(workers: count), nats(workers: count),
                    ],
                    bars: [
                        .ratio(over: "without a cursor", least: 0.8), .ratio(over: "redis", least: 1),
                        .ratio(over: "nats", least: 1),
                    ])
            })
    }

    private static func outputs(_ stage: Stage) -> Int { max(1_000, stage.size.million / 10) }

    private static func store(_ name: String, workers count: Int, hasCursor: Bool) -> Contender {
        Contender(name) { stage throws(BenchError) in
            if stage.isFirst("jobs") { try stage.fillStore(.append, stage.size.million, on: "jobs") }
            let path = try stage.store("jobs").address
            return { () throws(BenchError) in
                let cursor = hasCursor ? "jobs\(stage.number("cursor"))" : nil
                var workers: [StoreWorker] = []
                for number in 0..<count { workers.append(try StoreWorker(path, cursor: cursor, number: number)) }
                if let cursor {
                    let settings = #"{"on":"events/bench-*","shares":\#(count),"window":\#(Workers.window)}"#
                    try workers[0].ask("CURSOR \(cursor) \(settings)")
                    for worker in workers { try worker.ask("WORK \(cursor)") }
                }
                return Sample(perSecond: try Workers(all: workers).run(outputs(stage)))
            }
        }
    }

    private static func redis(workers count: Int) -> Contender {
        Contender("redis") { stage throws(BenchError) in
            if stage.isFirst("inputs") { try stage.fillRedis(stage.size.million, on: "inputs") { $0.input($1, &$2) } }
            let path = try stage.redis("inputs").address
            return { () throws(BenchError) in
                let group = "jobs\(stage.number("group"))"
                let workers = (0..<count).map { RedisWorker(path, group: group, number: $0) }
                try workers[0].makeGroup()
                return Sample(perSecond: try Workers(all: workers).run(outputs(stage)))
            }
        }
    }

    private static func nats(workers count: Int) -> Contender {
        Contender("nats") { stage throws(BenchError) in
            let url = try Peers.url(
                try stage.service("nats") { folder throws(BenchError) in try Services.nats(in: folder) })
            if stage.isFirst("messages") {
                _ = try Peers.run("nats", ["fill", "--url", url, "--events", "\(stage.size.million)"])
            }
            let words = ["work", "--url", url, "--events", "\(outputs(stage))", "--clients", "\(count)"]
            return { () throws(BenchError) in try Peers.run("nats", words) }
        }
    }
}
