/// What one request costs the thread that serves all of them.
enum LoopRows {
    static var row: Row {
        Row(
            id: "S15", title: "the loop's CPU, 50 clients, 20 in flight", data: .stories,
            shapes: [
                shape("APPEND with meta", "an event", .append, most: 2.2),
                shape("APPEND with key= and a tag", "an event", .appendKeyed, most: 3.0),
                shape("POST stories", "a story", .post, most: 7) { stage throws(BenchError) in
                    if stage.isFirst("loop has users") { try stage.fillStore(.users, Content.users, on: "loop") }
                },
                shape("GET at random of 1,000,000", "a request", .get, most: 2.0, on: "store") {
                    stage throws(BenchError) in try stage.fillStories()
                },
            ])
    }

    /// Writes go to a store of their own, so that the stories stay as many as they are.
    private static func shape(
        _ name: String, _ what: String, _ work: Work, most: Double, on server: String = "loop",
        fill: @escaping (Stage) throws(BenchError) -> Void = { _ in }
    ) -> Shape {
        Shape(
            name: name, unit: "µs \(what)", isCost: true,
            contenders: [
                Contender("storekeep") { stage throws(BenchError) in
                    try fill(stage)
                    return try stage.loopTime(Loop(work, clients: 50, inflight: 20), on: server)
                }
            ], bars: [.most(most)])
    }
}
