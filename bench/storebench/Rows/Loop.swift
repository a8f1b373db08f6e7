/// One closed loop: what is asked for, by how many clients, and what an answer counts for.
struct Loop {
    let work: Work
    var clients = 1
    var inflight = 1
    /// An array of ten events is ten.
    var unitsEach = 1
    /// So many events make one answer; nil: each answer is one. A page may be short, and then it counts for less.
    var page: Int?

    init(_ work: Work, clients: Int = 1, inflight: Int = 1, unitsEach: Int = 1, page: Int? = nil) {
        self.work = work
        self.clients = clients
        self.inflight = inflight
        self.unitsEach = unitsEach
        self.page = page
    }

    var name: String {
        (clients == 1 ? "1 client, " : "\(clients) clients, ")
            + (inflight == 1 ? "one at a time" : "\(inflight) in flight")
    }

    /// What a load came to in so many seconds, of which the server's loop worked so many nanoseconds.
    func sample(_ load: Load, seconds: Double, worked: UInt64) -> Sample {
        let units =
            page.map { Double(load.events) / Double($0) } ?? Double(load.latencies.count) * Double(unitsEach)
        var sample = Sample(perSecond: units / seconds, latencies: load.latencies)
        if units > 0 { sample.loopUs = Double(worked) / 1_000 / units }
        return sample
    }
}
