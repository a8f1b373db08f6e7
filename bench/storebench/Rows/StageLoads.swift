extension Stage {
    /// Measures a loop on a Storykeep that runs already, or on the row's own.
    func onStore(_ loop: Loop, _ name: String = "store") throws(BenchError) -> Measure {
        try closedLoop(loop, name, on: store(name)) { self.storeLink($0, name) }
    }

    /// Measures a loop on a node of the log.
    func onNode(_ loop: Loop, _ name: String) throws(BenchError) -> Measure {
        try closedLoop(loop, name, on: node(name)) { self.storeLink($0, name) }
    }

    /// The same on a store, where the figure is the time of the loop for each request.
    func loopTime(_ loop: Loop, on name: String = "store") throws(BenchError) -> Measure {
        loopTime(try onStore(loop, name))
    }

    /// The same measurement, where the figure is the time of the server's loop for each request, in microseconds.
    func loopTime(_ measure: @escaping Measure) -> Measure {
        { () throws(BenchError) in
            var sample = try measure()
            sample.perSecond = sample.loopUs ?? 0
            return sample
        }
    }

    /// Measures the same on Redis.
    func onRedis(_ loop: Loop, _ name: String = "redis") throws(BenchError) -> Measure {
        try closedLoop(loop, name, on: redis(name)) { Link($0, RedisDialect(stored: self.stored(name))) }
    }

    /// One client of a Storykeep, which knows what there is to ask for.
    func storeLink(_ path: String, _ name: String = "store") -> Link {
        Link(path, StoreDialect(stored: stored(name)))
    }

    private func closedLoop(
        _ loop: Loop, _ name: String, on server: Service, _ connect: @escaping (String) -> Link
    ) throws(BenchError) -> Measure {
        { [self] () throws(BenchError) in
            let key = "\(name)-\(loop.work.rawValue)"
            let links = (0..<loop.clients).map { _ in connect(server.address) }
            let load = Load(links, loop.work, inflight: loop.inflight, from: next(key))
            let before = server.nanosecondsOnCore
            let seconds = load.run(seconds: size.seconds)
            let worked = server.nanosecondsOnCore - before
            setNext(key, load.next)
            guard load.failures == 0 else { throw BenchError("\(key): \(load.failures) requests were refused") }
            return loop.sample(load, seconds: seconds, worked: worked)
        }
    }
}
