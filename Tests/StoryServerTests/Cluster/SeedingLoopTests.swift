import LoopSupport
import StoryCluster
import StoryCore
import StoryReactor
import StoryServer
import StoryStorage
import TestSupport
import Testing

/// A node that gets events from another store: the shipped loops over memory, and the bytes between them.
struct SeedingLoopTests {
    private let keys = LogKeys(log: "main")

    /// A node whose ordering service has nothing through a position, and a store with five events, which is the node
    /// n2.
    private struct Bench {
        let bench = NodeBench()
        let source: LoopBench
        var node: LoopBench { bench.nodes[0] }

        init(_ keys: LogKeys, through position: UInt64, seal: String) {
            let inline = BackgroundStarter { work in
                work()
                return true
            }
            source = LoopBench(seal: seal, background: inline)
            source.connected("s")
            for number in 1...5 { _ = source.ask(#"APPEND note-1 {"type":"A","data":\#(number)}"#, from: "s") }
            var record = NodeBench.record(of: [UInt8](repeating: 7, count: 16))
            (record.position, record.cluster) = (Position(position), bench.shared.etcd.cluster)
            bench.shared.etcd.put(keys.identity, record.value)
            bench.shared.etcd.put(keys.node("n2"), Array("address=/n2\nrun=x\nstored=5\n".utf8))
            node.transport.listeners["/n2"] = ConnectionID(1_000_000)
            bench.settle()
        }

        /// Moves bytes until none move, and lets time go by.
        func move() {
            bench.tick()
            guard let link = node.transport.outbound.last else { return }
            source.connect("link")
            source.run()
            var isMoving = true
            while isMoving {
                isMoving = false
                for line in node.transport.takeLines(link) {
                    source.receive(line + "\n", from: "link")
                    isMoving = true
                }
                source.run()
                for line in source.hear("link") where node.transport.outbound.contains(link) {
                    Array((line + "\n").utf8).withUnsafeBytes { node.server.bytesReceived(link, $0) }
                    isMoving = true
                }
                bench.settle()
            }
            source.close("link")
        }
    }

    @Test func `a node takes the events that it lacks, and no more, since an entry begins there`() {
        let bench = Bench(keys, through: 3, seal: "")
        expect(bench.node.said(" seeding from=/n2 position=0 through=3") == 1)
        expect(bench.bench.ask("STATS").last?.contains(#""state":"catchingUp""#) == true)
        bench.move()
        expect(bench.node.log.head == Position(3) && bench.node.said(" seeded from=/n2 position=3 events=3 ") == 1)
        expect(bench.node.transport.outbound == [])
        expect(
            bench.bench.ask("READ events").dropLast() == bench.source.ask("READ events limit=3", from: "s").dropLast())
        bench.bench.tick()
        expect(bench.bench.leader == 0)
    }

    @Test func `a node that has another seal at its head than the one that it asks ends`() {
        let bench = Bench(keys, through: 2, seal: "theirs")
        let head = EntryHead(
            first: Position(5), count: 1, previous: 8, bytes: 1, digest: EntryHead.Digest(low: 1, high: 2))
        bench.bench.shared.etcd.put(keys.entry(head.first), head.value(term: Term(1), records: [1]))
        bench.move()
        expect(bench.node.log.head == Position(2))
        bench.bench.tick(10)
        expect(bench.node.said(" seeding from=/n2 position=2 through=4") == 1)
        bench.move()
        expect(!bench.node.transport.isStopped && bench.node.said(" not-seeded from=/n2 position=2 reason=") == 1)
        bench.bench.tick(20)
        expect(bench.node.said(" seeding from=/n2 position=2 through=4") == 2, "a byte may have changed on its way")
        bench.move()
        expect(bench.node.log.head == Position(2) && bench.node.transport.isStopped)
        expect(bench.node.server.ending?.exitCode == 5)
        expect(bench.node.said(" diverged reason=") == 1)
    }

    @Test func `a node that is gone, and one that has another history, are no reason to end`() {
        let bench = Bench(keys, through: 3, seal: "")
        bench.node.transport.listeners = [:]
        bench.bench.tick()
        expect(bench.node.said(" not-seeded from=/n2 position=0 reason=") == 1)
        expect(bench.node.ask("STATS", from: "a").last?.contains(#""not-seeded""#) == true)
        bench.node.transport.listeners["/n2"] = ConnectionID(2_000_000)
        for _ in 0..<30 where bench.node.transport.outbound.isEmpty { bench.bench.tick() }
        let link = bench.node.transport.outbound.last
        let greeting = #"* {"server":"x","log":"00000000000000000000000000000001","position":9}"# + "\n"
        if let link { Array(greeting.utf8).withUnsafeBytes { bench.node.server.bytesReceived(link, $0) } }
        bench.bench.settle()
        expect(bench.node.said(" not-seeded from=/n2 position=0 reason=") == 2)
        expect(bench.node.server.ending == nil && bench.node.transport.outbound == [])
        for _ in 0..<30 where bench.node.transport.outbound.isEmpty { bench.bench.tick() }
        bench.move()
        expect(bench.node.log.head == Position(3))
    }
}
