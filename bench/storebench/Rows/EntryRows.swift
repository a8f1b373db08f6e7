/// The writes of a log of several nodes beside the transactions of its etcd.
enum EntryRows {
    static var all: [Row] { [alone, crowd] }

    private static var alone: Row {
        Row(
            id: "C2", title: "one event, one client, one at a time, p50", data: .nodes,
            shapes: [
                transaction("at the node that leads", most: 1.3) { $0.leader },
                transaction("at a node that follows", most: 2) { $0.follower },
            ])
    }

    /// The median of one client's writes, beside that of bare transactions of as many bytes.
    private static func transaction(
        _ name: String, most: Double, _ node: @escaping ((leader: String, follower: String)) -> String
    ) -> Shape {
        Shape(
            name: name, unit: "µs", isCost: true,
            contenders: [
                Contender("storekeep") { stage throws(BenchError) in
                    try stage.fillPair()
                    return { () throws(BenchError) in
                        var sample = try stage.onNode(Loop(.append), node(stage.roles()))()
                        sample.perSecond = sample.p50us ?? 0
                        return sample
                    }
                },
                Contender("etcd") { stage throws(BenchError) in
                    let bytes = try stage.bytesOfOneEvent()
                    let bare = try BareLog(stage.etcd()[0])
                    return { () throws(BenchError) in
                        let waits = try bare.write(seconds: stage.size.seconds, size: bytes)
                        return Sample(perSecond: waits.microseconds(0.5), latencies: waits)
                    }
                },
            ], bars: [.cost(over: "etcd", most: most)])
    }

    private static var crowd: Row {
        let entries = FullEntries()
        return Row(
            id: "C3", title: "50 clients, 20 in flight, at the node that leads", data: .nodes,
            shapes: [
                Shape(
                    name: "events", unit: "events/s", contenders: both(entries) { $0.sample },
                    bars: [.ratio(over: "etcd", least: 0.8)]),
                Shape(
                    name: "bytes of entries", unit: "MB/s",
                    contenders: both(entries) { Sample(perSecond: $0.megabytes) }, bars: []),
                Shape(
                    name: "events in an entry", unit: "events",
                    contenders: [
                        Contender("storekeep") { stage throws(BenchError) in
                            entries.nodes.figure(stage) { Sample(perSecond: $0.eventsEach) }
                        }
                    ], bars: []),
            ])
    }

    /// A figure of the nodes, and of etcd with entries as large.
    private static func both(
        _ entries: FullEntries, _ figure: @escaping (FullEntries.Round) -> Sample
    ) -> [Contender] {
        [
            Contender("storekeep") { stage throws(BenchError) in
                try stage.fillPair()
                return entries.nodes.figure(stage, figure)
            },
            Contender("etcd") { stage throws(BenchError) in entries.etcd.figure(stage, figure) },
        ]
    }
}
