/// Events of other sizes than the specification's 200 bytes, from one client.
enum EventSizes {
    private static let inflight = 8

    static func run(_ size: Size, _ note: (Loaded) -> Void) throws(BenchError) {
        for (name, bytes) in [
            ("100 B", 100), ("1 KiB", 1_024), ("10 KiB", 10_240), ("100 KiB", 102_400), ("1 MiB", 1_048_576),
        ] {
            let stage = try Stage(size)
            defer { stage.stop() }
            let path = try stage.store().address
            let link = Link(path, StoreDialect())
            let line = request(bytes, within: link.limit("line") ?? 1_048_576)
            let (latencies, seconds) = try drive(link, line, seconds: size.seconds * 2)
            let rate = Double(latencies.count) / seconds
            note(
                Loaded(
                    "1 client, \(inflight) in flight, by the event's size",
                    line.count - 1 < bytes ? "\(name), the line with the rest of the request" : name, "events/s",
                    perSecond: rate, megabytesPerSecond: rate * Double(min(bytes, line.count)) / 1e6, latencies))
        }
    }

    /// A request whose event is so many bytes; the largest line that the store takes, where that is less.
    static func request(_ bytes: Int, within limit: Int) -> [UInt8] {
        let (head, tail) = (Array("APPEND bench-0 ".utf8), Array("\"}}".utf8))
        let event = Array("{\"type\":\"Measured\",\"data\":{\"text\":\"".utf8)
        let filler = min(bytes, limit - head.count - 1) - event.count - tail.count
        return head + event + [UInt8](repeating: 0x78, count: max(0, filler)) + tail + [0x0A]
    }

    private static func drive(
        _ link: Link, _ line: [UInt8], seconds: Double
    ) throws(BenchError) -> (Histogram, Double) {
        let links = Links([link])
        var latencies = Histogram()
        var failures = 0
        let began = Clock.now()
        let end = began + UInt64(seconds * 1e9)
        func topUp(_ now: UInt64) {
            while now < end, link.outstanding < inflight { link.add(now) { $0.put(line) } }
        }
        topUp(began)
        links.settle(0)
        while link.outstanding > 0 {
            links.turn { _, link in
                let now = Clock.now()
                failures += link.receive(now) { latencies.record($0) }.failures
                topUp(now)
            }
        }
        guard failures == 0 else { throw BenchError("\(failures) events of \(line.count) bytes were refused") }
        return (latencies, Clock.seconds(since: began))
    }
}
