import LoopSupport
import StoryCluster
import StoryCore
import StoryServer
import TestSupport
import Testing

/// A node of a log: the shipped loop over a service that orders the entries.
struct NodeLoopTests {
    private let append = #"APPEND note-1 {"type":"A","data":{}}"#

    /// A bench whose node leads.
    private func led(nodes: Int = 1) -> NodeBench {
        let bench = NodeBench(nodes: nodes)
        bench.settle()
        expect(bench.leader == 0)
        return bench
    }

    @Test func `a node takes the lead, and acknowledges a write once the ordering service has it`() {
        let bench = led()
        bench.etcds[0].fate = { $0.isEntry ? .held : .answered }
        expect(bench.ask(append) == [])
        expect(bench.etcds[0].heldCount == 1)
        expect(bench.ask(append) == [], "an entry at a time")
        expect(bench.etcds[0].heldCount == 1)
        bench.etcds[0].fate = { _ in .answered }
        bench.etcds[0].release()
        bench.settle()
        expect(bench.nodes[0].hear("a").map { $0.number("position") } == [1, 2])
        expect(bench.ask("READ events").count == 3)
        expect(bench.nodes[0].log.committed == Position(2))
    }

    @Test func `a write is acknowledged before the own journal has it, which is written later`() {
        let bench = led()
        bench.nodes[0].commits.isHeld = true
        expect(bench.ask(append).map { $0.number("position") } == [1])
        expect(bench.ask(append).map { $0.number("position") } == [2])
        expect(bench.nodes[0].log.committed == .zero && bench.nodes[0].commits.isRunning)
        expect(bench.ask("STATS").last?.contains(#""stored":0,"position":2,"lag":0"#) == true)
        bench.nodes[0].endCommit()
        expect(bench.nodes[0].log.committed == Position(1), "the entry that was there when it began")
        bench.nodes[0].endCommit()
        expect(bench.nodes[0].log.committed == Position(2))
    }

    @Test func `a write of a node that leads no more is not in the log, and says so`() {
        let bench = led()
        bench.etcds[0].fate = { $0.isEntry ? .held : .answered }
        expect(bench.ask(append) == [])
        let keys = LogKeys(log: "main")
        let deletion = OrderingTransaction(conditions: [], then: [.delete(OrderingRange(from: keys.leader))])
        _ = bench.shared.etcd.apply(.transaction(deletion), at: bench.shared.now)
        bench.etcds[0].fate = { _ in .answered }
        bench.etcds[0].release()
        bench.settle()
        let told = bench.nodes[0].hear("a")
        expect(told.map { $0.text("code") } == ["unavailable"] && told.map { $0.text("outcome") } == ["none"])
        expect(told.map { $0.text("retry") } == ["later"])
        bench.tick()
        expect(bench.ask("READ events").count == 1)
        expect(bench.ask(append).map { $0.number("position") } == [1], "it leads again")
    }

    // MARK: Other nodes

    @Test func `a node ends at an entry of a format that it does not read, and says what to do`() {
        let bench = led(nodes: 2)
        let head = EntryHead(
            first: Position(1), count: 1, previous: 0, bytes: 1, digest: EntryHead.Digest(low: 1, high: 2), format: 6)
        bench.shared.etcd.put(LogKeys(log: "main").entry(head.first), head.value(term: Term(1), records: [1]))
        bench.settle()
        expect(bench.nodes[1].transport.isStopped && bench.nodes[1].server.ending?.exitCode == 2)
        let reason = "an entry is of format 6, and this program reads 4,5: upgrade this node"
        expect(bench.nodes[1].said(" not-a-node reason=\"\(reason)\"") == 1)
    }

    @Test func `the entries of another node are folded, answered and pushed`() {
        let bench = led(nodes: 2)
        expect(bench.ask("SUBSCRIBE events", at: 1).first?.hasPrefix("+") == true)
        expect(
            bench.ask(#"POST users {"id":"1","name":"Ana","email":"a@b.org","prefecture":1}"#).last?.hasPrefix("+")
                == true)
        expect(bench.ask(append).last?.hasPrefix("+") == true)
        expect(bench.nodes[1].hear("a").map { $0.number("position") } == [1, 2])
        expect(bench.ask("GET users/1", at: 1) == bench.ask("GET users/1"))
        expect(bench.ask("READ events", at: 1) == bench.ask("READ events"))
        expect(bench.nodes[1].log.committed == Position(2))
        expect(bench.ask("STATS", at: 1).last?.contains(#""state":"following","leader":"n1""#) == true)
    }

    @Test func `a node that cannot fold pauses its watches, and goes on when it can`() {
        let bench = led(nodes: 2)
        bench.nodes[1].commits.isHeld = true
        let event = #"{"type":"A","data":"\#(String(repeating: "x", count: 2_000))"}"#
        let many = "APPEND note-1 [" + Array(repeating: event, count: 100).joined(separator: ",") + "]"
        for _ in 0..<30 { expect(bench.ask(many).last?.hasPrefix("+") == true) }
        expect(bench.etcds[1].isPaused && bench.nodes[1].log.head < Position(3_000))
        bench.nodes[1].commits.isHeld = false
        for _ in 0..<40 where bench.nodes[1].log.head < Position(3_000) {
            if bench.nodes[1].commits.isRunning { bench.nodes[1].endCommit() }
            bench.tick()
        }
        expect(bench.nodes[1].log.head == Position(3_000) && !bench.etcds[1].isPaused)
    }

    // MARK: The end

    @Test func `a leader that is asked to end finishes its writes, and hands over before it ends`() {
        let bench = led(nodes: 2)
        bench.etcds[0].fate = { $0.isEntry ? .held : .answered }
        expect(bench.ask(append) == [])
        bench.nodes[0].server.signalReceived(15)
        bench.settle()
        expect(bench.nodes[0].transport.isListening, "it serves until the lead is handed over")
        bench.etcds[0].fate = { _ in .answered }
        bench.etcds[0].release()
        bench.settle()
        expect(bench.nodes[0].hear("a").first?.number("position") == 1)
        expect(!bench.nodes[0].transport.isListening)
        bench.tick()
        expect(bench.ask("STATS", at: 1).last?.contains(#""state":"leading""#) == true, "at once, not after a lease")
        expect(bench.ask(append, at: 1).map { $0.number("position") } == [2])
    }

}
