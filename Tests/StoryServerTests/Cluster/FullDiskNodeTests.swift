import LoopSupport
import StoryCluster
import StoryCore
import StoryServer
import TestSupport
import Testing

/// A node whose own disk is full, while the ordering service takes entries.
struct FullDiskNodeTests {
    private let append = #"APPEND note-1 {"type":"A","data":{"text":"\#(String(repeating: "x", count: 400))"}}"#

    /// Two nodes of which the second follows, and holds some bytes in memory alone; its commits end as the test says.
    private func bench(holding bytes: Int) -> NodeBench {
        var limits = Limits()
        limits.unstored = bytes
        let bench = NodeBench(nodes: 2, limits)
        bench.tick(5)
        expect(bench.leader == 0)
        bench.nodes[1].commits.isHeld = true
        return bench
    }

    /// The commit under way of the node that follows finds its disk full.
    private func fill(_ bench: NodeBench) {
        bench.nodes[1].commits.end(with: .refused(Failure(.full, "the disk is full")))
        bench.nodes[1].server.woken()
        bench.settle()
    }

    /// The last event that the node that follows shows.
    private func shown(_ bench: NodeBench) -> UInt64? { bench.ask("PING", at: 1).last?.number("position") }

    private func write(_ bench: NodeBench) {
        expect(bench.ask(append).last?.hasPrefix("+") == true)
        bench.settle()
    }

    @Test func `a follower whose disk is full follows on in memory, and stores all of it once there is room`() {
        let bench = bench(holding: 1 << 20)
        write(bench)
        fill(bench)
        expect(bench.nodes[1].said(" full reason=") == 1)
        for _ in 0..<9 { write(bench) }
        expect(shown(bench) == 10 && bench.nodes[1].log.committed == .zero)
        expect(bench.ask("READ events", at: 1) == bench.ask("READ events"))
        bench.tick(11)
        expect(bench.nodes[1].commits.isRunning, "it is tried again")
        fill(bench)
        write(bench)
        expect(shown(bench) == 11 && bench.nodes[1].log.committed == .zero)
        bench.tick(11)
        bench.nodes[1].endCommit()
        bench.settle()
        expect(bench.nodes[1].log.committed == Position(11))
    }

    /// Little room, so that a few writes fill it.
    private var small: Limits {
        var limits = Limits()
        (limits.commit, limits.unstored) = (2_000, 2_000)
        return limits
    }

    /// Has the leader's disk be full while a write of "w" waits for room, since much is in memory alone.
    private func fillLeader(of bench: NodeBench) {
        let leader = bench.nodes[0]
        leader.commits.isHeld = true
        leader.connected("w")
        var answers: [String] = []
        repeat {
            leader.send(append, from: "w")
            bench.settle()
            answers = leader.hear("w")
        } while answers.last?.hasPrefix("+") == true
        expect(answers.isEmpty, "a write waits: \(answers)")
        leader.commits.end(with: .refused(Failure(.full, "the disk is full")))
        leader.server.woken()
        bench.settle()
    }

    @Test func `a write that waits for room at a leader whose disk becomes full is answered`() throws {
        let nodes = LinkedNodes(2, small)
        nodes.tick(5)
        expect(nodes.bench.leader == 0)
        fillLeader(of: nodes.bench)
        nodes.tick(10)
        expect(nodes.bench.leader == 1)
        let last = try require(shown(nodes.bench))
        // Whether it is handled before the lead goes or after is a matter of the turn.
        let answer = try require(nodes.bench.nodes[0].hear("w").last)
        expect(answer.text("code") == "full" || answer.number("position") == last, "\(answer)")
    }

    @Test func `a write that waits for room at the only node is refused once its disk is full`() {
        let bench = NodeBench(nodes: 1, small)
        bench.tick(5)
        fillLeader(of: bench)
        expect(bench.nodes[0].hear("w").last?.text("code") == "full")
        expect(bench.ask(append).last?.text("code") == "full")
    }

    @Test func `a leader whose etcd is full leads on, and writes once that has room`() {
        let bench = NodeBench(nodes: 2)
        bench.tick(5)
        expect(bench.leader == 0)
        write(bench)
        func isPut(_ call: OrderingCall) -> Bool {
            guard case .transaction(let transaction) = call else { return false }
            return transaction.then.contains { if case .put = $0 { true } else { false } }
        }
        for etcd in bench.etcds {
            etcd.onTheWay = { isPut($0) ? .transaction(OrderingTransaction(conditions: [], then: [])) : $0 }
            etcd.onTheWayBack = { isPut($0) ? .full : $1 }
        }
        func stats() -> String { bench.ask("STATS").last ?? "" }
        for _ in 0..<4 {
            expect(bench.ask(append).last?.text("code") == "full")
            bench.tick(25)
            expect(bench.leader == 0, "\(stats())")
            expect(stats().contains(#""engine-full""#) && !stats().contains(#""full""#), "\(stats())")
        }
        for etcd in bench.etcds { (etcd.onTheWay, etcd.onTheWayBack) = ({ $0 }, { $1 }) }
        bench.tick(11)
        write(bench)
        expect(bench.leader == 0 && !stats().contains("full\""), "\(stats())")
    }

    @Test func `it follows no further than its memory may hold, is behind, and catches up once there is room`() {
        let bench = bench(holding: 2_000)
        write(bench)
        fill(bench)
        for _ in 0..<9 { write(bench) }
        let most = shown(bench) ?? 0
        expect(most > 2 && most < 10)
        for _ in 0..<3 {
            bench.tick(11)
            fill(bench)
            expect(shown(bench) == most, "a commit that is refused makes no room")
        }
        bench.nodes[1].send("PING min=10", from: "a")
        bench.tick(105)
        expect(bench.nodes[1].hear("a").last?.text("code") == "behind")
        bench.nodes[1].commits.isHeld = false
        bench.nodes[1].commits.end()
        bench.nodes[1].server.woken()
        bench.tick(20)
        expect(shown(bench) == 10 && bench.nodes[1].log.committed == Position(10))
        expect(bench.ask("READ events", at: 1) == bench.ask("READ events"))
    }
}
