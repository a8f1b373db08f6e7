import Glibc

/// Drives one shape with so many clients, each with so many requests in flight.
final class Load {
    private let path: String
    private let shape: Shape
    private let inflight: Int
    private let requests: Int
    private let series: UInt64
    private var links: [Link] = []
    private var sent = 0
    private var latencies: [UInt32] = []
    private var failures = 0

    init(path: String, shape: Shape, clients: Int, inflight: Int, requests: Int) {
        self.path = path
        self.shape = shape
        self.inflight = inflight
        self.requests = requests
        // The first run into a fresh store is run 0, whose stories "get" asks for.
        series = getenv("STOREBENCH_RUN").flatMap { UInt64(String(cString: $0)) } ?? 0
        latencies.reserveCapacity(requests)
        links = (0..<clients).map { _ in Link(path) }
    }

    /// Answers the result as one JSON line.
    func run() -> String {
        prepare()
        let began = Load.now()
        for link in links { top(up: link, Load.now()) }
        while latencies.count < requests { turn() }
        let seconds = Double(Load.now() - began) / 1e9
        latencies.sort()
        func percentile(_ part: Double) -> UInt32 {
            latencies[min(latencies.count - 1, Int(Double(latencies.count) * part))]
        }
        let rate = Int(Double(requests) / seconds)
        return "{\"shape\":\"\(shape.rawValue)\",\"clients\":\(links.count),\"inflight\":\(inflight),"
            + "\"requests\":\(requests),\"failures\":\(failures),\"perSecond\":\(rate),"
            + "\"p50us\":\(percentile(0.5)),\"p99us\":\(percentile(0.99)),\"p999us\":\(percentile(0.999))}"
    }

    private func prepare() {
        let lines = shape.preparation(series)
        for line in lines {
            links[0].queue(Array(line.utf8), at: 0)
            links[0].flush()
            while links[0].receive(0, { _, _ in }) == 0 {}
        }
    }

    private func turn() {
        var polls = links.map { link in
            pollfd(fd: link.descriptor, events: Int16(POLLIN | (link.hasOutput ? POLLOUT : 0)), revents: 0)
        }
        poll(&polls, nfds_t(polls.count), 1_000)
        let now = Load.now()
        for (index, entry) in polls.enumerated() where entry.revents != 0 {
            let link = links[index]
            _ = link.receive(now) { nanoseconds, isFailure in
                if isFailure { failures += 1 }
                latencies.append(UInt32(clamping: nanoseconds / 1_000))
            }
            top(up: link, now)
        }
    }

    private func top(up link: Link, _ now: UInt64) {
        while link.outstanding < inflight, sent < requests {
            link.add(now) { shape.request(sent, series, &$0) }
            sent += 1
        }
        link.flush()
    }

    static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
