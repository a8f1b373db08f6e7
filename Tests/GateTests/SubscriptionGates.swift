import TestSupport
import Testing

extension Gates {
    @Suite struct Subscriptions {
        @Test func `An event to a subscriber that catches up`() throws {
            let counted = try CountedDaemon()
            try counted.drive((0..<5_000).lazy.map { Requests.append($0) }, inFlight: 100)
            let cost = try counted.cost(of: 5_000) { _ in
                let subscriber = try counted.daemon.client()
                _ = try subscriber.ask("SUBSCRIBE events from=1")
                for _ in 0..<5_000 { try Subscriptions.push(subscriber) }
            }
            try Threshold.check("catch-up", cost)
        }

        @Test func `A live event to each of 10 subscribers`() throws {
            let counted = try CountedDaemon()
            try counted.drive((0..<2_000).lazy.map { Requests.append($0) }, inFlight: 100)
            let subscribers = try (0..<10).map { _ in
                let subscriber = try counted.daemon.client()
                _ = try subscriber.ask("SUBSCRIBE events")
                return subscriber
            }
            let cost = try counted.cost(of: 500 * 10) { round in
                for batch in 0..<5 {
                    let first = round * 500 + batch * 100
                    try counted.drive((first..<first + 100).lazy.map { Requests.append($0) }, inFlight: 100)
                    for subscriber in subscribers { for _ in 0..<100 { try Subscriptions.push(subscriber) } }
                }
            }
            try Threshold.check("live-10", cost)
        }

        /// Reads one event that was pushed; markers are passed over.
        private static func push(_ subscriber: LineSocket) throws {
            while true {
                let line = try subscriber.line()
                if line.contains(#""stream":"#) { return }
            }
        }
    }
}
