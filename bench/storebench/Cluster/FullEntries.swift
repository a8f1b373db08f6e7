import StoryCluster

/// Many clients at the node that leads, and bare transactions of the entries that it wrote, one at a time.
final class FullEntries {
    /// What was written in a round.
    struct Round {
        /// The events in a second, and how long each took, or each transaction.
        let sample: Sample
        /// The events and the bytes of the average entry.
        let eventsEach: Double
        let bytesEach: Int

        /// The bytes of entries, in MB/s.
        var megabytes: Double { sample.perSecond / eventsEach * Double(bytesEach) / 1e6 }
    }

    /// What the nodes wrote.
    let nodes = SharedRounds { _, stage throws(BenchError) in try FullEntries.measure(stage) }
    /// What etcd took, in entries as large as those of the nodes in the same round.
    private(set) lazy var etcd = SharedRounds { [self] number, stage throws(BenchError) in
        try measure(stage, beside: nodes.round(number, stage))
    }
    private var log: BareLog?

    private func measure(_ stage: Stage, beside round: Round) throws(BenchError) -> Round {
        let log = try bareLog(stage)
        let began = Clock.now()
        let waits = try log.write(seconds: stage.size.seconds, size: round.bytesEach)
        let events = Double(waits.count) * round.eventsEach / Clock.seconds(since: began)
        try log.clear()
        return Round(
            sample: Sample(perSecond: events, latencies: waits), eventsEach: round.eventsEach,
            bytesEach: round.bytesEach)
    }

    private func bareLog(_ stage: Stage) throws(BenchError) -> BareLog {
        if let log { return log }
        let made = try BareLog(stage.etcd()[0])
        log = made
        return made
    }

    private static func measure(_ stage: Stage) throws(BenchError) -> Round {
        let bytes = try stage.bytesOfOneEvent() - EntryHead.size
        let leader = try stage.roles().leader
        let link = Link(try stage.node(leader).address, TextDialect())
        let before = try written(link)
        let sample = try stage.onNode(Loop(.append, clients: 50, inflight: 20), leader)()
        let after = try written(link)
        guard after.entries > before.entries else { throw BenchError("\(leader) wrote no entry: it leads no more") }
        let events = Double(after.events - before.events) / Double(after.entries - before.entries)
        return Round(
            sample: sample, eventsEach: events, bytesEach: EntryHead.size + Int(events * Double(bytes)))
    }

    /// The last position, and how many entries a node has written.
    private static func written(_ link: Link) throws(BenchError) -> (events: Int, entries: Int) {
        let stats = link.reply(to: "STATS")
        guard let events = Member.number("\"position\":", of: stats),
            let entries = Member.number("\"commits\":{\"count\":", of: stats)
        else { throw BenchError("STATS does not tell the commits: \(stats.prefix(200))") }
        return (events, entries)
    }
}
