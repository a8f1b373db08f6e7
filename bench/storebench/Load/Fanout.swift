import Glibc

/// Subscribers of all events, and one writer that goes on as fast as the slowest of them takes what it wrote.
final class Fanout {
    private let links: Links
    private let writer: Link
    private let subscribers: ArraySlice<Link>
    private let write: (Int, inout RequestText) -> Void
    /// Asks for more after an answer: Redis's subscribers do, Storykeep's need not.
    private let again: ((Link) -> Void)?
    private var written = 0
    /// How far the slowest subscriber may be behind the writer.
    private static let window = 2_000

    private init(
        _ writer: Link, _ subscribers: [Link], again: ((Link) -> Void)?,
        write: @escaping (Int, inout RequestText) -> Void
    ) {
        links = Links([writer] + subscribers)
        self.writer = writer
        self.subscribers = links.all.dropFirst()
        self.again = again
        self.write = write
    }

    static func store(_ path: String, subscribers: Int) -> Fanout {
        let links = (0..<subscribers).map { _ in
            let link = Link(path, StoreDialect())
            link.add(0) { link.dialect.ask(.live, 0, &$0) }
            link.settle()
            return link
        }
        let writer = Link(path, StoreDialect())
        return Fanout(writer, links, again: nil) { writer.dialect.ask(.append, $0, &$1) }
    }

    static func redis(_ path: String, subscribers: Int) -> Fanout {
        let ask: (Link) -> Void = { link in
            guard let dialect = link.dialect as? RedisDialect, link.outstanding == 0 else { return }
            link.add(0) { dialect.block(&$0) }
        }
        let dialect = RedisDialect()
        let writer = Link(path, dialect)
        // Redis waits from an ID on: the one of an event written now.
        writer.add(0) { dialect.log(0, &$0) }
        writer.settle()
        writer.add(0) { dialect.newest(&$0) }
        writer.settle()
        let links = (0..<subscribers).map { _ in
            let own = RedisDialect()
            own.begin(after: dialect.lastIdentifier)
            let link = Link(path, own)
            ask(link)
            link.flush()
            return link
        }
        return Fanout(writer, links, again: ask) { dialect.log($0, &$1) }
    }

    /// Writes for so many seconds with so many in flight; returns the deliveries a second, until all is delivered.
    func run(seconds: Double, inflight: Int) -> Double {
        let began = Clock.now()
        let end = began + UInt64(seconds * 1e9)
        var isOver = false
        while !isOver || slowest < written || writer.outstanding > 0 {
            isOver = isOver || Clock.now() >= end
            if !isOver { topUp(inflight) }
            links.turn { _, link in
                _ = link.receive(0) { _ in }
                if link !== writer { again?(link) }
            }
        }
        return Double(written * subscribers.count) / Clock.seconds(since: began)
    }

    private var slowest: Int { subscribers.reduce(Int.max) { min($0, $1.events) } }

    private func topUp(_ inflight: Int) {
        let limit = slowest + Fanout.window
        while writer.outstanding < inflight, written < limit {
            writer.add(0) { write(written, &$0) }
            written += 1
        }
        links.settle(0)
    }
}
