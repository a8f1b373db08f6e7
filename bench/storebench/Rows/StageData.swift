extension Stage {
    /// So many requests of a work before anything is measured.
    func fillStore(
        _ work: Work, _ count: Int, clients: Int = 1, on name: String = "store"
    ) throws(BenchError) {
        let path = try store(name).address
        let load = Load((0..<clients).map { _ in storeLink(path, name) }, work, inflight: 200)
        load.run(requests: count)
        guard load.failures == 0 else { throw BenchError("\(load.failures) of \(count) \(work.rawValue) were refused") }
        setNext("\(name)-\(work.rawValue)", count)
        note(name) { stored in
            switch work {
            case .post: stored.stories = count
            case .message, .messageOfTwo: stored.messages = count
            case .append, .appendTagged, .appendPair, .appendHalf: stored.events = count
            case .write: stored.letters = count
            case .order: stored.orders = count / StoreDialect.orderEvents
            default: break
            }
        }
    }

    /// So many commands to Redis before anything is measured.
    func fillRedis(
        _ count: Int, on name: String = "redis", _ write: (RedisDialect, Int, inout RequestText) -> Void
    ) throws(BenchError) {
        let dialect = RedisDialect()
        let link = Link(try redis(name).address, dialect)
        var number = 0
        while number < count {
            for _ in 0..<min(500, count - number) {
                link.add(0) { write(dialect, number, &$0) }
                number += 1
            }
            guard link.settle() else { throw BenchError("Redis refused what it is filled with") }
        }
    }

    /// The users and as many stories as the specification says 1,000,000; rows share them.
    func fillStories(on name: String = "store", _ count: Int? = nil) throws(BenchError) {
        guard isFirst("\(name) has stories") else { return }
        try fillStore(.users, Content.users, on: name)
        try fillStore(.post, count ?? size.million, on: name)
    }

    /// The same rows in Redis, each one string.
    func fillRedisStories(on name: String = "redis", _ count: Int? = nil) throws(BenchError) {
        guard isFirst("\(name) has stories") else { return }
        let count = count ?? size.million
        try fillRedis(count, on: name) { $0.store($1, &$2) }
        note(name) { $0.stories = count }
    }

    /// Events in 1,000 streams.
    func fillEvents() throws(BenchError) {
        guard isFirst("store has events") else { return }
        try fillStore(.append, size.streamed)
    }

    /// The same in Redis's streams.
    func fillRedisEvents() throws(BenchError) {
        guard isFirst("redis has events") else { return }
        try fillRedis(size.streamed) { $0.keep($1, &$2) }
        note("redis") { $0.events = size.streamed }
    }
}
