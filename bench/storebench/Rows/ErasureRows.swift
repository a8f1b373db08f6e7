/// Rows of the table about erasures.
enum ErasureRows {
    static var row: Row {
        let erasures = SharedRounds { stage throws(BenchError) in
            try stage.fillStories()
        } _: { number, stage throws(BenchError) in
            try Erasures.measure(number, stage)
        }
        return Row(
            id: "S20", title: "ERASE beside 1,000,000 stories",
            shapes: [
                erasures.shape("a user with 100 stories", "ms", bars: [.most(15_000)]) {
                    Sample(perSecond: 1_000 * $0.ofUser)
                },
                erasures.shape("a stream of 1,000 events, with their labels", "ms", bars: [.most(500)]) {
                    Sample(perSecond: 1_000 * $0.ofStream)
                },
                erasures.shape("PING meanwhile, the longest wait", "ms", bars: [.always(10)]) {
                    Sample(perSecond: Double($0.ping.longest) / 1e6, latencies: $0.ping)
                },
            ])
    }
}

/// The rounds of erasures, each with all of its figures.
private enum Erasures {
    /// The figures of one round.
    struct Round {
        /// The seconds until the bytes of a user's content were gone, and those of a stream.
        let ofUser, ofStream: Double
        /// The waits of another client meanwhile.
        let ping: Histogram
    }

    static func measure(_ number: Int, _ stage: Stage) throws(BenchError) -> Round {
        let server = try stage.store()
        let link = stage.storeLink(server.address)
        func ask(_ line: String) throws(BenchError) {
            guard link.ask(line) else { throw BenchError("\(line.prefix(80)) was refused") }
        }
        for user in ["gone\(number)", "stays\(number)"] {
            let form = #"{"id":"\#(user)","name":"N","email":"\#(user)@example.org","prefecture":1}"#
            try ask("POST users \(form)")
        }
        for story in 0..<100 {
            let form = #"{"title":"T\#(story)","message":"M","sender":"gone\#(number)","recipient":"stays\#(number)"}"#
            try ask("POST stories \(form)")
        }
        let event = #"{"type":"Noted","tags":["round:\#(number)"],"data":{"text":"of no use any more"}}"#
        try ask("APPEND erased-\(number) [\(Array(repeating: event, count: 1_000).joined(separator: ","))]")
        let ping = Probe(server, stage.storeLink(server.address), .ping)
        func seconds(_ line: String) throws(BenchError) -> Double {
            let began = Clock.now()
            try ping.record { () throws(BenchError) in try ask(line) }
            return Clock.seconds(since: began)
        }
        let ofStream = try seconds("ERASE events/erased-\(number) reason=asked")
        let ofUser = try seconds("ERASE users/gone\(number) reason=asked")
        return Round(ofUser: ofUser, ofStream: ofStream, ping: try ping.finish())
    }
}
