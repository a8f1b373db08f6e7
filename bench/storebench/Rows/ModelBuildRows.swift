/// The builds of declared models, and the memory of those that nobody asks.
enum ModelBuildRows {
    static var all: [Row] { [builds, memory] }

    private static var builds: Row {
        Row(
            id: "M3", title: "build of a model of 1,000,000 events, the log in the system's cache",
            shapes: [
                shape("orders", "events/s", isCost: false, .least(1_000_000)) { stage throws(BenchError) in
                    try ModelBuilds(stage).eventsPerSecond()
                },
                shape("customers", "events/s", isCost: false, .least(600_000)) { stage throws(BenchError) in
                    try ModelBuilds(stage, "customers", of: .placed).eventsPerSecond()
                },
                shape("PING beside it, the longest wait", "ms", .always(10)) { stage throws(BenchError) in
                    try ModelBuilds(stage).pings().longest
                },
                shape("the loop's longest turn, by its CPU", "ms", .always(5)) { stage throws(BenchError) in
                    try ModelBuilds(stage).pings().turn
                },
                shape("APPEND beside it, 50 clients, one at a time", "× without", isCost: false, .least(0.8)) {
                    stage throws(BenchError) in try ModelBuilds(stage).appends()
                },
            ])
    }

    private static var memory: Row {
        Row(
            id: "M4", title: "memory of a model that nobody asks, 16 of 100,000 events",
            shapes: [
                shape("just built", "MiB", rounds: 1, .most(0.5)) { stage throws(BenchError) in
                    try ModelMemory(stage).mebibytesEach()
                },
                shape("after a start", "MiB", rounds: 1, .most(0.5)) { stage throws(BenchError) in
                    let memory = try ModelMemory(stage)
                    try memory.start()
                    return try memory.mebibytesEach()
                },
                shape("after 100,000 events that it does not read", "MiB", rounds: 1, .most(0.5)) {
                    stage throws(BenchError) in
                    let memory = try ModelMemory(stage)
                    try memory.append(.append)
                    return try memory.mebibytesEach()
                },
                shape("after 100,000 events that it reads, and a checkpoint", "MiB", rounds: 1, nil) {
                    stage throws(BenchError) in
                    let memory = try ModelMemory(stage)
                    try memory.append(.order)
                    try memory.checkpoint()
                    return try memory.mebibytesEach()
                },
            ])
    }

    private static func shape(
        _ name: String, _ unit: String, isCost: Bool = true, rounds: Int? = nil, _ bar: Bar?,
        _ figure: @escaping (Stage) throws(BenchError) -> Double
    ) -> Shape {
        Shape(
            name: name, unit: unit, isCost: isCost, rounds: rounds,
            contenders: [
                Contender("storekeep") { stage throws(BenchError) in
                    { () throws(BenchError) in Sample(perSecond: try figure(stage)) }
                }
            ], bars: bar.map { [$0] } ?? [])
    }
}
