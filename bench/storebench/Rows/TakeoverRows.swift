/// Changes of the node that leads.
enum TakeoverRows {
    static var all: [Row] {
        [
            Row(
                id: "C1", title: "the longest time between two receipts, three etcd, three nodes",
                shapes: [
                    shape("CLUSTER promote", .promoted, "ms", most: 500),
                    shape("SIGTERM of the leader", .ended, "ms", most: 500),
                    shape("the leader killed", .killed, "s", most: 1),
                    // A lease of three seconds, two elections of a second, and two.
                    shape("the leader stopped, as if its machine were gone", .stopped, "s", most: 7),
                ])
        ]
    }

    private static func shape(_ name: String, _ cause: Takeover.Cause, _ unit: String, most: Double) -> Shape {
        Shape(
            name: name, unit: unit, isCost: true,
            contenders: [
                Contender("storekeep") { stage throws(BenchError) in
                    try Takeover.fill(stage)
                    return { () throws(BenchError) in
                        Sample(perSecond: try Takeover.silence(cause, stage) * (unit == "ms" ? 1_000 : 1))
                    }
                }
            ], bars: [.most(most), .always(most)])
    }
}
