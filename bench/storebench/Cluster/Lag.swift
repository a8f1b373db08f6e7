/// How long events take from the reply at the node that leads to the push at one that follows, on the clock of this
/// program.
enum Lag {
    /// The events in a second, which are appended in time whatever became of those before.
    private static let rate = 1_000

    static func measure(_ stage: Stage) throws(BenchError) -> Histogram {
        let (leader, follower) = try stage.roles()
        let writer = stage.storeLink(try stage.node(leader).address)
        let subscriber = stage.storeLink(try stage.node(follower).address)
        guard subscriber.ask("PING min=now"), subscriber.ask("SUBSCRIBE events") else {
            throw BenchError("\(follower) refused a subscription")
        }
        let links = Links([writer, subscriber])
        let count = Int(stage.size.seconds * 3 * Double(rate))
        let began = Clock.now()
        var (written, failures) = (0, 0)
        var (acknowledged, pushed): ([UInt64], [UInt64]) = ([], [])
        while acknowledged.count < count || pushed.count < count {
            guard failures == 0, Clock.seconds(since: began) < 60 else {
                throw BenchError("\(acknowledged.count) of \(count) events were acknowledged, \(pushed.count) pushed")
            }
            let due = min(count, Int(Clock.seconds(since: began) * Double(rate)) + 1)
            while written < due {
                writer.add(0) { writer.dialect.ask(.append, written, &$0) }
                written += 1
            }
            links.settle(0)
            links.turn(1) { _, link in
                let now = Clock.now()
                let heard = link.receive(now) { _ in }
                failures += heard.failures
                acknowledged += repeatElement(now, count: heard.answers)
                pushed += repeatElement(now, count: heard.events)
            }
        }
        var lags = Histogram()
        // The push may come before the reply.
        for (reply, push) in zip(acknowledged, pushed) { lags.record(push > reply ? push - reply : 0) }
        return lags
    }
}
