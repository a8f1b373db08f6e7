import Testing

extension Gates {
    @Suite struct Writes {
        @Test func `An APPEND, one at a time`() throws {
            let counted = try CountedDaemon()
            try counted.drive((0..<2_000).lazy.map { Requests.append($0) }, inFlight: 100)
            let cost = try counted.cost(of: 100) { round in
                try counted.drive((0..<100).lazy.map { Requests.append(round * 100 + $0) }, inFlight: 1)
            }
            try Threshold.check("append-1", cost)
        }

        @Test func `An APPEND, 100 in flight`() throws {
            let counted = try CountedDaemon()
            try counted.drive((0..<2_000).lazy.map { Requests.append($0) }, inFlight: 100)
            let cost = try counted.cost(of: 500) { round in
                try counted.drive((0..<500).lazy.map { Requests.append(round * 500 + $0) }, inFlight: 100)
            }
            try Threshold.check("append-100", cost)
        }

        @Test func `A POST of a story, 100 in flight`() throws {
            let counted = try CountedDaemon()
            try counted.prepare(stories: 3_000)
            let cost = try counted.cost(of: 500) { round in
                try counted.drive((0..<500).lazy.map { Requests.story(3_000 + round * 500 + $0) }, inFlight: 100)
            }
            try Threshold.check("post-100", cost)
        }

        @Test func `20,000 stories and two checkpoints of a young store`() throws {
            try Writes.check("checkpoint-young", after: 0)
        }

        @Test func `20,000 stories and two checkpoints of a store that has 60,000`() throws {
            try Writes.check("checkpoint-grown", after: 60_000)
        }

        /// One long round: what comes in large steps counts in full. Each checkpoint begins before one is due, so that
        /// it is of the same entries in every run, however fast the disk.
        private static func check(_ shape: String, after stories: Int) throws {
            let counted = try CountedDaemon()
            try counted.prepare(stories: stories)
            try counted.checkpoint()
            let cost = try counted.cost(of: 20_000, rounds: 1) { _ in
                for first in [stories, stories + 10_000] {
                    try counted.drive((first..<first + 10_000).lazy.map(Requests.story), inFlight: 100)
                    try counted.checkpoint()
                }
            }
            try Threshold.check(shape, cost)
        }
    }
}
