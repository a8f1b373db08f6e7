import TestSupport
import Testing

extension Gates {
    @Suite struct Reads {
        @Test func `A GET, one at a time`() throws {
            let counted = try Reads.stories()
            let cost = try counted.cost(of: 500) { round in
                try counted.drive((0..<500).lazy.map { Requests.get(round * 500 + $0, of: 3_000) }, inFlight: 1)
            }
            try Threshold.check("get-1", cost)
        }

        @Test func `A GET, 100 in flight`() throws {
            let counted = try Reads.stories()
            let cost = try counted.cost(of: 1_000) { round in
                try counted.drive((0..<1_000).lazy.map { Requests.get(round * 1_000 + $0, of: 3_000) }, inFlight: 100)
            }
            try Threshold.check("get-100", cost)
        }

        @Test func `A LIST of 50 stories`() throws {
            let counted = try Reads.stories()
            let cost = try counted.cost(of: 100 * 50) { _ in
                try counted.drive(Array(repeating: "LIST stories limit=50", count: 100), inFlight: 1)
            }
            try Threshold.check("list-50", cost)
        }

        @Test func `A READ of 100 events of one stream`() throws {
            let counted = try CountedDaemon()
            try counted.drive((0..<2_000).lazy.map { Requests.append($0, streams: 20) }, inFlight: 100)
            try counted.checkpoint()
            let cost = try counted.cost(of: 100 * 100) { _ in
                try counted.drive((0..<100).lazy.map { "READ events/bench-\($0 % 20) limit=100" }, inFlight: 1)
            }
            try Threshold.check("read-100", cost)
        }

        private static func stories() throws -> CountedDaemon {
            let counted = try CountedDaemon()
            try counted.prepare(stories: 3_000)
            try counted.checkpoint()
            return counted
        }
    }
}
