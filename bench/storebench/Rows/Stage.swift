import Foundation

/// What a row's contenders stand on: a directory, and servers that are started when the first of them asks.
final class Stage {
    typealias Measure = () throws(BenchError) -> Sample
    let size: Size
    let folder: Folder
    private var services: [String: Service] = [:]
    private var numbers: [String: Int] = [:]

    init(_ size: Size) throws(BenchError) {
        self.size = size
        folder = try Folder("bench")
    }

    /// The row's server of a name, started by `start` the first time.
    func service(_ name: String, _ start: (Folder) throws(BenchError) -> Service) throws(BenchError) -> Service {
        if let there = services[name] { return there }
        let service = try start(folder)
        services[name] = service
        return service
    }

    func store() throws(BenchError) -> Service {
        try service("store") { folder throws(BenchError) in try Services.store(in: folder) }
    }
    func redis() throws(BenchError) -> Service {
        try service("redis") { folder throws(BenchError) in try Services.redis(in: folder) }
    }

    /// The first call for a key is true: what a row's shapes share is made once.
    func isFirst(_ key: String) -> Bool { number(key) == 0 }

    /// 0, 1, 2 … for a key.
    func number(_ key: String) -> Int {
        defer { numbers[key, default: 0] += 1 }
        return numbers[key, default: 0]
    }

    /// Remembers how far a series of requests came.
    func next(_ key: String) -> Int { numbers[key, default: 0] }
    func setNext(_ key: String, _ value: Int) { numbers[key] = value }

    /// Puts all servers and this program on one core, or lets them run on any.
    func pin(_ isPinned: Bool) {
        let cores = isPinned ? "0" : "0-\(ProcessInfo.processInfo.processorCount - 1)"
        for service in services.values { service.pin(to: cores) }
        _ = try? Command.run(["taskset", "-pc", cores, String(getpid())])
    }

    func stop() {
        for service in services.values { service.stop() }
        services = [:]
    }

    /// The same with SIGKILL.
    func kill(_ name: String) { services.removeValue(forKey: name)?.kill() }

    func stop(_ name: String) { services.removeValue(forKey: name)?.stop() }
}

extension Stage {
    /// Measures a work on Storykeep with so many clients.
    func onStore(_ work: Work, clients: Int, inflight: Int) throws(BenchError) -> Measure {
        let path = try store().address
        return closedLoop("store-" + work.rawValue, work, inflight) {
            (0..<clients).map { _ in Link(path, StoreDialect()) }
        }
    }

    /// Measures the same on Redis.
    func onRedis(_ work: Work, clients: Int, inflight: Int) throws(BenchError) -> Measure {
        let path = try redis().address
        return closedLoop("redis-" + work.rawValue, work, inflight) {
            (0..<clients).map { _ in Link(path, RedisDialect()) }
        }
    }

    private func closedLoop(_ key: String, _ work: Work, _ inflight: Int, _ connect: @escaping () -> [Link]) -> Measure
    {
        { [self] () throws(BenchError) in
            let load = Load(connect(), work, inflight: inflight, from: next(key))
            let seconds = load.run(seconds: size.seconds)
            setNext(key, load.next)
            guard load.failures == 0 else { throw BenchError("\(key): \(load.failures) requests were refused") }
            return Sample(perSecond: Double(load.latencies.count) / seconds, latencies: load.latencies)
        }
    }

    /// So many requests of a work before anything is measured.
    func fillStore(_ work: Work, _ count: Int, clients: Int = 1) throws(BenchError) {
        let path = try store().address
        let load = Load((0..<clients).map { _ in Link(path, StoreDialect()) }, work, inflight: 200)
        load.run(requests: count)
        guard load.failures == 0 else { throw BenchError("\(load.failures) of \(count) \(work.rawValue) were refused") }
        setNext("store-" + work.rawValue, count)
    }

    /// So many commands to Redis before anything is measured.
    func fillRedis(_ count: Int, _ write: (RedisDialect, Int, inout [UInt8]) -> Void) throws(BenchError) {
        let dialect = RedisDialect()
        let link = Link(try redis().address, dialect)
        var number = 0
        while number < count {
            for _ in 0..<min(500, count - number) {
                link.add(0) { write(dialect, number, &$0) }
                number += 1
            }
            link.settle()
        }
    }
}
