import Glibc

/// Drives one kind of work in a closed loop: each client asks again when it is answered.
final class Load {
    private let links: Links
    private let work: Work
    private let inflight: Int
    /// The number of the next request, so that a series goes on where the one before it ended.
    private(set) var next: Int
    private let first: Int
    private var last = Int.max
    private(set) var latencies = Histogram()
    private(set) var failures = 0
    /// Events and rows that came in the answers.
    private(set) var events = 0
    private var isOver = false

    init(_ links: [Link], _ work: Work, inflight: Int, from first: Int = 0) {
        self.links = Links(links)
        self.work = work
        self.inflight = inflight
        next = first
        self.first = first
    }

    /// So many requests, all answered at the end. The seconds that they took.
    @discardableResult
    func run(requests: Int) -> Double {
        last = next + requests
        return run { false }
    }

    /// Requests for so many seconds, all answered at the end.
    func run(seconds: Double) -> Double {
        let end = Clock.now() + UInt64(seconds * 1e9)
        return run { Clock.now() >= end }
    }

    /// Requests until something has come true, all answered at the end.
    func run(until ends: () -> Bool) -> Double {
        let began = Clock.now()
        for (index, link) in links.all.enumerated() { topUp(index, link, began) }
        while latencies.count < next - first {
            if !isOver, ends() { isOver = true }
            step()
        }
        return Clock.seconds(since: began)
    }

    /// One look at all the links: reads, and asks again.
    func step(_ milliseconds: Int32 = 1_000) {
        links.turn(milliseconds) { _, link in
            let now = Clock.now()
            let heard = link.receive(now) { latencies.record($0) }
            failures += heard.failures
            events += heard.events
            ask(link, now)
        }
    }

    private func topUp(_ index: Int, _ link: Link, _ now: UInt64) {
        ask(link, now)
        links.settle(index)
    }

    private func ask(_ link: Link, _ now: UInt64) {
        while !isOver, link.outstanding < inflight, next < last {
            link.add(now) { link.dialect.ask(work, next, &$0) }
            next += 1
        }
    }
}
