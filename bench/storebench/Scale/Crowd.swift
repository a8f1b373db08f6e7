/// Many connections, each with one request at a time.
enum Crowd {
    static func connections(_ size: Size, _ note: (Loaded) -> Void) throws(BenchError) {
        let stage = try Stage(size)
        defer { stage.stop() }
        try stage.fillStore(.users, Content.users)
        try stage.fillStore(.post, Stored().stories)
        let path = try stage.store().address
        let wanted = size.form == "tiny" ? 100 : 1_000
        let count = min(wanted, (Link(path, StoreDialect()).limit("connections") ?? wanted) - 8)
        for work in [Work.ping, .get, .append] {
            let load = Load((0..<count).map { _ in Link(path, StoreDialect()) }, work, inflight: 1)
            let seconds = load.run(seconds: max(0.2, size.seconds * 3))
            guard load.failures == 0 else { throw BenchError("\(load.failures) of \(work.rawValue) were refused") }
            note(
                Loaded(
                    "\(count) connections, one request at a time each", work.rawValue.uppercased(), "requests/s",
                    perSecond: Double(load.latencies.count) / seconds, load.latencies))
        }
    }
}
