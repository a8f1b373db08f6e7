import Glibc

/// Many subscriptions of one stream each: how long it takes from an append to the push of its event.
final class Deliveries {
    private let links: Links
    private let writer: Link
    private let streams: Int
    /// When the event that is on its way was appended, of each stream; no stream has two on their way.
    private var sent: [UInt64]
    private var underway = 0
    private var written = 0
    private var latencies = Histogram()

    static func run(_ size: Size, _ note: (Loaded) -> Void) throws(BenchError) {
        let stage = try Stage(size)
        defer { stage.stop() }
        let path = try stage.store().address
        let greeted = Link(path, StoreDialect())
        let side = size.form == "tiny" ? 10 : 100
        let connections = min(side, (greeted.limit("connections") ?? side) - 8)
        let each = min(side, greeted.limit("subscriptions") ?? side)
        let deliveries = try Deliveries(path, connections: connections, each: each)
        for (shape, inflight) in [("one event on its way", 1), ("100 events on their way", 100)] {
            let rate = deliveries.drive(
                seconds: max(0.2, size.seconds * 3), inflight: min(inflight, connections * each))
            note(
                Loaded(
                    "\(connections * each) subscriptions of a stream each, \(each) on a connection",
                    "APPEND to push, \(shape)", "events/s", perSecond: rate, deliveries.latencies))
        }
    }

    private init(_ path: String, connections: Int, each: Int) throws(BenchError) {
        streams = connections * each
        sent = Array(repeating: 0, count: streams)
        writer = Link(path, StoreDialect())
        let subscribers = (0..<connections).map { Link(path, PushDialect(first: $0 * each, count: each)) }
        for link in subscribers {
            for stream in 0..<each { link.add(0) { link.dialect.ask(.live, stream, &$0) } }
            guard link.settle() else { throw BenchError("SUBSCRIBE was refused") }
        }
        links = Links([writer] + subscribers)
    }

    /// Appends for a time, with so many events on their way at most; the events a second until all are delivered.
    private func drive(seconds: Double, inflight: Int) -> Double {
        latencies = Histogram()
        let first = written
        let began = Clock.now()
        let end = began + UInt64(seconds * 1e9)
        while underway > 0 || writer.outstanding > 0 || Clock.now() < end {
            while underway < inflight, Clock.now() < end { append() }
            links.settle(0)
            links.turn { [self] _, link in
                let now = Clock.now()
                _ = link.receive(now) { _ in }
                guard let dialect = link.dialect as? PushDialect else { return }
                for stream in dialect.taken() {
                    latencies.record(now - sent[stream])
                    underway -= 1
                }
            }
        }
        return Double(written - first) / Clock.seconds(since: began)
    }

    private func append() {
        let stream = written % streams
        let now = Clock.now()
        sent[stream] = now
        let number = written
        writer.add(now) { line in
            line.put(text: "APPEND bench-\(stream) ")
            Content.event(number, &line)
            line.put("\n")
        }
        written += 1
        underway += 1
    }
}

/// A client with many subscriptions, which notes the streams that it was pushed events of.
final class PushDialect: Dialect {
    static let isGreeted = true
    private let first: Int
    /// Which stream a subscription is of; the store numbers subscriptions from 1.
    private let count: Int
    private var line: [UInt8] = []
    private var streams: [Int] = []

    init(first: Int, count: Int) {
        self.first = first
        self.count = count
    }

    func ask(_ work: Work, _ number: Int, _ line: inout RequestText) {
        line.put(text: "SUBSCRIBE events/bench-\(first + number)\n")
    }

    /// The streams that events came of since this was asked last.
    func taken() -> [Int] {
        defer { streams.removeAll(keepingCapacity: true) }
        return streams
    }

    func hear(_ bytes: UnsafeRawBufferPointer, _ heard: inout Heard) {
        for byte in bytes {
            if byte == 0x0A {
                finish(&heard)
                line.removeAll(keepingCapacity: true)
            } else if line.count < 32 {
                line.append(byte)
            }
        }
    }

    /// `>12 {"position":…` is an event of the twelfth stream; other pushes are marks.
    private func finish(_ heard: inout Heard) {
        switch line.first {
        case 0x2B: heard.answers += 1
        case 0x2D:
            heard.answers += 1
            heard.failures += 1
        case 0x3E:
            let text = String(decoding: line.dropFirst(), as: UTF8.self)
            guard text.contains("{\"position\"") else { return }
            guard let subscription = Int(text.prefix { $0.isNumber }), 1...count ~= subscription else {
                fail("an event of a subscription that nobody made: \(text)")
            }
            heard.events += 1
            streams.append(first + subscription - 1)
        default: break
        }
    }
}
