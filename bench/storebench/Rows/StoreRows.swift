import Foundation

/// Rows of the specification that measure Storykeep alone.
enum StoreRows {
    static var all: [Row] { [footprint, scale] }

    private static var footprint: Row {
        Row(
            id: "S11", title: "1,000,000 stories stored", data: .stories,
            shapes: [
                Shape(
                    name: "memory that is not the file map", unit: "MiB", isCost: true, rounds: 1,
                    contenders: [
                        Contender("storekeep") { stage throws(BenchError) in
                            try stage.fillStories()
                            try stage.fillStore(.get, 100_000)
                            let server = try stage.store()
                            return { () throws(BenchError) in Sample(perSecond: server.anonymousMebibytes) }
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
                var number = events(stage.size)
                try stage.fillStore(.append, number, clients: 10, on: name)
                let server = try stage.store(name)
                return { () throws(BenchError) in
                    let load = Load(
                        (0..<50).map { _ in Link(server.address, StoreDialect()) }, .append, inflight: 20, from: number)
                    let before = server.nanosecondsOnCore
                    // Not for a time: what is measured makes the small store larger, and that must not be by much.
                    let seconds = load.run(requests: max(2_000, stage.size.small / 5))
                    let worked = server.nanosecondsOnCore - before
                    number = load.next
                    guard load.failures == 0 else { throw BenchError("\(load.failures) events were refused") }
                    var sample = Loop(.append).sample(load, seconds: seconds, worked: worked)
                    sample.perSecond = 1e6 / sample.perSecond
                    return sample
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
