import Testing

extension Gates {
    /// The costs of declared models. An event that none of them reads costs what it costs without.
    @Suite struct Models {
        @Test func `An APPEND that none of 16 models reads, one at a time`() throws {
            let counted = try Models.besideSixteen()
            let cost = try counted.cost(of: 100) { round in
                try counted.drive((0..<100).lazy.map { Requests.append(round * 100 + $0) }, inFlight: 1)
            }
            try Threshold.check("append-1", cost, isWritten: false)
        }

        @Test func `An APPEND that none of 16 models reads, 100 in flight`() throws {
            let counted = try Models.besideSixteen()
            let cost = try counted.cost(of: 500) { round in
                try counted.drive((0..<500).lazy.map { Requests.append(round * 500 + $0) }, inFlight: 100)
            }
            try Threshold.check("append-100", cost, isWritten: false)
        }

        @Test func `An event that a model of orders reads, 100 in flight`() throws {
            let counted = try CountedDaemon()
            try counted.define("orders", reading: "order")
            try counted.drive((0..<8_000).lazy.map(Requests.order), inFlight: 100)
            let cost = try counted.cost(of: 500) { round in
                try counted.drive((0..<500).lazy.map { Requests.order(8_000 + round * 500 + $0) }, inFlight: 100)
            }
            try Threshold.check("model-100", cost)
        }

        /// A daemon with 16 models of other categories.
        private static func besideSixteen() throws -> CountedDaemon {
            let counted = try CountedDaemon()
            for number in 1...16 { try counted.define("idle\(number)", reading: "idle\(number)") }
            try counted.drive((0..<2_000).lazy.map { Requests.append($0) }, inFlight: 100)
            return counted
        }
    }
}
