import Foundation

/// A node that follows beside the one that leads, and beside a single store.
enum FollowerRows {
    static var all: [Row] { [lag, answers, seeding, memory] }

    private static var lag: Row {
        let rounds = pairRounds { stage throws(BenchError) in try Lag.measure(stage) }
        func shape(_ name: String, most: Double, _ part: Double) -> Shape {
            rounds.shape(name, "ms", bars: [.most(most)]) {
                Sample(perSecond: $0.microseconds(part) / 1_000, latencies: $0)
            }
        }
        return Row(
            id: "C4", title: "a follower's lag at 1,000 events/s, from `+` at the leader to the push at the follower",
            data: .nodes, shapes: [shape("p50", most: 5, 0.5), shape("p99", most: 100, 0.99)])
    }

    private static var answers: Row {
        let loop = Loop(.get, clients: 50, inflight: 20)
        return Row(
            id: "C5", title: "the loop's CPU for an answer at a follower, 50 clients, 20 in flight", data: .nodes,
            shapes: [
                Shape(
                    name: "GET at random", unit: "µs", isCost: true,
                    contenders: [
                        Contender("storekeep") { stage throws(BenchError) in
                            try stage.fillPair()
                            return { () throws(BenchError) in
                                try stage.loopTime(stage.onNode(loop, stage.roles().follower))()
                            }
                        },
                        Contender("single store") { stage throws(BenchError) in
                            try stage.loopTime(loop, on: Stage.single)
                        },
                    ], bars: [.cost(over: "single store", most: 1.1)])
            ])
    }

    private static var seeding: Row {
        let rounds = pairRounds { stage throws(BenchError) in try Seeding.measure(stage) }
        return Row(
            id: "C6", title: "an empty node joins, and etcd has the start of the log no more", data: .nodes,
            shapes: [
                rounds.shape(
                    "from its start to the leader's position", "events/s", isCost: false, bars: [.least(100_000)]
                ) { Sample(perSecond: $0.eventsPerSecond) },
                rounds.shape("GET of a client at the leader meanwhile, p99", "× without", bars: [.most(2)]) { $0.get },
                rounds.shape("APPEND of a client at the leader meanwhile, p99", "× without", bars: [.most(2)]) {
                    $0.append
                },
            ])
    }

    private static var memory: Row {
        let rounds = pairRounds { stage throws(BenchError) in try NodeMemory.measure(stage) }
        return Row(
            id: "C7", title: "memory of a node beside a single store with the same events", data: .nodes,
            shapes: [
                rounds.shape("that leads", "MiB", rounds: 1, bars: [.most(32)]) { Sample(perSecond: $0.leader) },
                rounds.shape("that follows", "MiB", rounds: 1, bars: [.most(32)]) { Sample(perSecond: $0.follower) },
            ])
    }

    /// Rounds of two nodes that have the same events.
    private static func pairRounds<Round>(
        _ measure: @escaping (Stage) throws(BenchError) -> Round
    ) -> SharedRounds<Round> {
        SharedRounds { stage throws(BenchError) in
            try stage.fillPair()
        } _: { _, stage throws(BenchError) in
            try measure(stage)
        }
    }
}
