/// Shapes that the specification does not ask for, without bars: a shorter way for those that it asks for would show.
enum GeneralRows {
    static var row: Row {
        Row(
            id: "G", title: "general shapes, 50 clients, 20 in flight",
            shapes: [
                shape("APPEND without meta", "events/s", .appendBare, redis: nil),
                shape("APPEND with meta", "events/s", .append, redis: .append),
                shape("APPEND with key=, a tag and meta", "events/s", .appendKeyed, redis: nil),
                shape("APPEND of 1 KiB", "events/s", .append1KiB, redis: .append1KiB),
                shape("APPEND of 10 KiB", "events/s", .append10KiB, redis: .append10KiB),
                shape("APPEND of arrays of 10", "events/s", .appendTen, unitsEach: 10, redis: nil),
                shape("POST messages", "messages/s", .message, redis: nil),
                shape("EDIT stories", "requests/s", .edit, redis: nil),
                shape("LIKE stories", "requests/s", .like, redis: nil),
                shape("GET messages", "requests/s", .getMessage, redis: nil),
                shape("LIST stories of a sender, 10 rows", "pages/s", .listStories, page: 10, redis: nil),
                shape("LIST messages between two, 10 rows", "pages/s", .listMessages, page: 10, redis: nil),
                shape("COUNT stories of a sender", "requests/s", .countStories, redis: nil),
                shape("READ 100 events of a category", "pages/s", .readCategory, page: 100, redis: nil),
            ])
    }

    private static func shape(
        _ name: String, _ unit: String, _ work: Work, unitsEach: Int = 1, page: Int? = nil, redis: Work?
    ) -> Shape {
        func loop(_ work: Work) -> Loop {
            Loop(work, clients: 50, inflight: 20, unitsEach: unitsEach, page: page)
        }
        let own = Contender("storekeep") { stage throws(BenchError) in
            try fill(stage)
            return try stage.onStore(loop(work))
        }
        let other = redis.map { work in
            Contender("redis") { stage throws(BenchError) in try stage.onRedis(loop(work)) }
        }
        return Shape(name: name, unit: unit, rounds: 3, contenders: [own] + (other.map { [$0] } ?? []), bars: [])
    }

    /// A tenth of the specification's amounts. The events come first: their positions are 1, 2, 3 …
    private static func fill(_ stage: Stage) throws(BenchError) {
        guard stage.isFirst("general") else { return }
        let count = max(10_000, stage.size.million / 10)
        try stage.fillStore(.append, count)
        try stage.fillStories(on: "store", count)
        try stage.fillStore(.message, count)
    }
}
