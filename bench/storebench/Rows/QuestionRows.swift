/// What others wait for while somebody asks what no index answers.
enum QuestionRows {
    static var row: Row {
        let questions = SharedRounds(filledBy: Questions.fill) { _, stage throws(BenchError) in
            try Questions.measure(stage)
        }
        return Row(
            id: "S14", title: "others beside questions without an index",
            shapes: [
                questions.shape("PING, the longest wait", "ms", bars: [.always(10)]) {
                    $0.longest(of: $0.ping)
                },
                questions.shape("GET, the longest wait", "ms", bars: [.always(10)]) {
                    $0.longest(of: $0.get)
                },
                questions.shape("memory that is not the file map", "MiB", bars: [.always(96)]) {
                    Sample(perSecond: $0.mebibytes)
                },
                questions.shape("APPEND, one at a time", "events/s", isCost: false) {
                    Sample(perSecond: Double($0.append.count) / $0.seconds, latencies: $0.append)
                },
                questions.shape("the questions", "answers/s", isCost: false) {
                    Sample(perSecond: Double($0.answers.count) / $0.seconds, latencies: $0.answers)
                },
            ])
    }
}

/// The rounds of asking, each with all of its figures.
enum Questions {
    /// What the clients beside it saw of one round.
    struct Round {
        let ping: Histogram
        let get: Histogram
        let append: Histogram
        let answers: Histogram
        /// From the first question to the last answer.
        let seconds: Double
        /// The most of the daemon's memory that is not the file map.
        let mebibytes: Double

        func longest(of waits: Histogram) -> Sample {
            Sample(perSecond: Double(waits.longest) / 1e6, latencies: waits)
        }
    }

    /// Messages between two users, all unseen, and a story that was liked and unliked many times.
    static func fill(_ stage: Stage) throws(BenchError) {
        guard stage.isFirst("questions") else { return }
        let changes = stage.size.million / 10
        try stage.fillStore(.users, 2)
        try stage.fillStore(.post, 1)
        try stage.fillStore(.toggle, changes)
        // The users and the story are the first three events.
        stage.note("store") { $0.past = 3 + changes - 1 }
        try stage.fillStore(.messageOfTwo, stage.size.million)
    }

    /// The figures of a round.
    static func measure(_ stage: Stage) throws(BenchError) -> Round {
        let server = try stage.store()
        let (ping, get, append) = (
            probe(.ping, server, stage), probe(.getMessage, server, stage), probe(.append, server, stage)
        )
        let askers = (0..<5).map { _ in stage.storeLink(server.address) }
        let load = Load(askers, .question, inflight: 20)
        let seconds = stage.size.seconds * 10
        let memory = MemoryWatch(server)
        let took = try ping.record { () throws(BenchError) in
            try get.record { () throws(BenchError) in
                try append.record { () throws(BenchError) in load.run(seconds: seconds) }
            }
        }
        let mebibytes = memory.finish()
        guard load.failures == 0 else { throw BenchError("\(load.failures) questions were refused") }
        return Round(
            ping: try ping.finish(), get: try get.finish(), append: try append.finish(), answers: load.latencies,
            seconds: took, mebibytes: mebibytes)
    }

    private static func probe(_ work: Work, _ server: Service, _ stage: Stage) -> Probe {
        Probe(server, stage.storeLink(server.address), work)
    }
}
