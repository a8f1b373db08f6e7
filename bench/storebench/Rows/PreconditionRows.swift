/// Rows of the specification about writes unless events of a query have come.
enum PreconditionRows {
    static var all: [Row] { [newTags, longLooks] }

    /// Beside the same events without the query: two items, each of a tag and two types, after the last answer.
    private static var newTags: Row {
        Row(
            id: "S16", title: "APPEND with two tags, unless an event of either has come",
            shapes: [1, 50].map { clients in
                let name = Loop(.appendUnless, clients: clients).name
                let own = [("storekeep", Work.appendUnless), ("without a query", .appendPair)].map { name, work in
                    Contender(name) { stage throws(BenchError) in
                        if stage.isFirst("store has pairs") { try stage.fillStore(.appendPair, stage.size.million) }
                        return try stage.onStore(Loop(work, clients: clients))
                    }
                }
                let ratio = Bar.ratio(over: "without a query", least: 0.9)
                return Shape(
                    name: name, unit: "events/s", isPinned: clients == 1,
                    contenders: own + (clients == 1 ? [umadb] : []),
                    bars: clients == 1 ? [ratio, .ratio(over: "umadb", least: 3)] : [ratio])
            })
    }

    private static var umadb: Contender {
        Contender("umadb") { stage throws(BenchError) in
            let url = try Peers.url(
                try stage.service("umadb") { folder throws(BenchError) in try Services.umadb(in: folder) })
            _ = try Peers.run("umadb", ["fill", "--url", url, "--events", "\(stage.size.million)"])
            let words = ["decide", "--url", url, "--seconds", "\(stage.size.seconds)"]
            return { () throws(BenchError) in try Peers.run("umadb", words) }
        }
    }

    /// Five at once of two tags that half of all events have each, and none both; then five of a type that none has.
    private static var longLooks: Row {
        let looks = SharedRounds(filledBy: Looks.fill) { _, stage throws(BenchError) in try Looks.measure(stage) }
        return Row(
            id: "S18", title: "others beside long looks for events of a query",
            shapes: [
                looks.shape("PING, the longest wait", "ms", bars: [.always(10)]) {
                    Sample(perSecond: Double($0.ping.longest) / 1e6, latencies: $0.ping)
                },
                looks.shape("two tags that none has both of: each of five writes", "ms", bars: [.most(250)]) {
                    Sample(perSecond: $0.bothSeconds * 1_000 / Double(Looks.count))
                },
                looks.shape("a type that none has: each of five writes", "ms", bars: [.most(1)]) {
                    Sample(perSecond: $0.typedSeconds * 1_000 / Double(Looks.count))
                },
            ])
    }
}

/// The rounds of long looks, each with all of its figures.
private enum Looks {
    /// The figures of one round.
    struct Round {
        /// The waits of another client.
        let ping: Histogram
        /// The time until all writes were answered.
        let bothSeconds: Double
        let typedSeconds: Double
    }

    /// The number of writes in a pipeline.
    static let count = 5

    static func fill(_ stage: Stage) throws(BenchError) {
        if stage.isFirst("halves") { try stage.fillStore(.appendHalf, stage.size.million, on: "halves") }
    }

    static func measure(_ stage: Stage) throws(BenchError) -> Round {
        let server = try stage.store("halves")
        let ping = Probe(server, stage.storeLink(server.address, "halves"), .ping)
        let link = stage.storeLink(server.address, "halves")
        func seconds(_ work: Work) throws(BenchError) -> Double {
            let load = Load([link], work, inflight: count)
            let seconds = load.run(requests: count)
            guard load.failures == 0 else { throw BenchError("\(load.failures) writes were refused") }
            return seconds
        }
        let both = try ping.record { () throws(BenchError) in try seconds(.unlessBoth) }
        return Round(ping: try ping.finish(), bothSeconds: both, typedSeconds: try seconds(.unlessTyped))
    }
}
