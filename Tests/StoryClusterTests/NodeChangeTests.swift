import StoryCore
import TestSupport
import Testing

@testable import StoryCluster

/// `CLUSTER promote` and `CLUSTER remove`, as the machine carries them out.
struct NodeChangeTests {
    private let keys = LogKeys(log: "main")

    /// Three nodes, of which n1 leads, and all have reported.
    private func bench() -> ClusterBench {
        let bench = ClusterBench("n1", "n2", "n3")
        bench.pass(tenths: 40)
        expect(bench.leaders == ["n1"] && bench.stopped.isEmpty)
        return bench
    }

    private func term(_ bench: ClusterBench) -> Term { Term(bench.etcd.pairs[keys.leader]?.created ?? 0) }

    // MARK: Promote

    @Test(arguments: ["n1", "n2", "n3"])
    func `the leader hands over to the node that is wished to lead, whichever node is asked`(asked: String) {
        let bench = bench()
        bench.ask(asked, for: .promote("n2"), 7)
        expect(bench.ends[7] == nil && bench.leaders == ["n1"] && bench.yielding == ["n1"])
        expect(bench.replica("n1")?.takesWrites == false && bench.replica("n1")?.writableTerm != nil)
        bench.handOver("n1")
        expect(bench.leaders == ["n2"] && bench.ends[7] == .leads(term(bench)))
        expect(!bench.hasKey(keys.wish))
        bench.pass(tenths: 50)
        expect(bench.leaders == ["n2"] && bench.replica("n2")?.takesWrites == true)
    }

    @Test func `what was decided before is written before the lead is handed over`() {
        let bench = bench()
        bench.isLost = { name, call in name == "n1" && "\(call)".contains(keys.entries) }
        bench.write("n1", after: 0, bytes: 100)
        bench.ask("n3", for: .promote("n2"), 1)
        bench.handOver("n1")
        expect(bench.leaders == ["n1"] && bench.replica("n1")?.writableTerm == nil)
        bench.isLost = { _, _ in false }
        bench.pass(tenths: 6)
        expect(bench.leaders == ["n2"] && bench.replica("n2")?.reach == Position(1))
        expect(bench.ends[1] == .leads(term(bench)))
    }

    @Test func `a node that is wished to lead and does not is waited for a second, then another one leads`() {
        let bench = bench()
        bench.ask("n3", for: .promote("n2"), 1)
        bench.hold("n2")
        bench.handOver("n1")
        expect(bench.leaders.isEmpty && !bench.hasKey(keys.leader))
        bench.pass(tenths: 9)
        expect(bench.leaders.isEmpty && bench.ends[1] == nil)
        bench.pass(tenths: 4)
        expect(bench.leaders.count == 1 && bench.ends[1] == .led(by: bench.leaders[0]))
        expect(!bench.hasKey(keys.wish))
        bench.hold("n2", false)
        bench.pass(tenths: 30)
        expect(bench.leaders.count == 1 && bench.leaders != ["n2"])
    }

    @Test func `a leader that is gone is replaced by the node that is wished to lead`() {
        let bench = bench()
        bench.kill("n1")
        bench.ask("n2", for: .promote("n3"), 1)
        expect(bench.ends[1] == nil)
        bench.pass(tenths: 40)
        expect(bench.leaders == ["n3"] && bench.ends[1] == .leads(term(bench)))
    }

    @Test func `the node that leads is promoted by nothing, and one that the log does not have is named`() {
        let bench = bench()
        let revision = bench.etcd.revision
        bench.ask("n2", for: .promote("n1"), 1)
        bench.ask("n1", for: .promote("n9"), 2)
        bench.ask("n1", for: .remove("n9"), 3)
        expect(
            bench.ends == [
                1: .leads(term(bench)), 2: .noNode(known: ["n1", "n2", "n3"]), 3: .noNode(known: ["n1", "n2", "n3"]),
            ])
        expect(bench.etcd.revision == revision)
    }

    @Test func `a node that has not heard of the last change does not say that another one leads still`() {
        let bench = bench()
        bench.hold("n3")
        bench.ask("n1", for: .promote("n2"), 1)
        bench.handOver("n1")
        bench.hold("n3", false)
        bench.ask("n3", for: .promote("n1"), 2)
        expect(bench.leaders == ["n2"] && bench.ends[2] == .led(by: "n2"))
    }

    @Test func `a node that lives no more, or has not all events, is not promoted`() {
        let bench = bench()
        bench.kill("n3")
        bench.pass(tenths: 75)
        bench.ask("n1", for: .promote("n3"), 1)
        expect(bench.ends[1] == .silent)
        var member = Member(address: "/n2", version: "9", run: "n21", stored: Position(4))
        member.progress.position = Position(5)
        bench.etcd.put(keys.node("n2"), member.value)
        bench.pass(tenths: 1)
        bench.ask("n1", for: .promote("n2"), 3)
        expect(bench.ends[3] == .behind(Position(5)))
        expect(!bench.hasKey(keys.wish))
    }

    @Test func `a node that has all events is promoted where it is asked itself, whatever it reported last`() {
        let bench = bench()
        var member = Member(address: "/n2", version: "9", run: "n21", stored: .zero)
        member.progress.position = .zero
        bench.etcd.put(keys.node("n2"), member.value)
        bench.pass(tenths: 1)
        bench.ask("n2", for: .promote("n2"), 1)
        expect(bench.ends[1] == nil && bench.leaders == ["n1"])
        bench.pass(tenths: 35)
        bench.handOver("n1")
        expect(bench.ends[1] == .leads(term(bench)) && bench.leaders == ["n2"])
    }

    @Test func `a wish that the leader cannot heed is removed, and refused where it was made`() {
        let bench = bench()
        // n1 has not seen n2 since it came back, and n3 has.
        bench.hold("n1")
        bench.ask("n3", for: .promote("n2"), 1)
        expect(bench.hasKey(keys.wish))
        bench.etcd.put(keys.node("n2"), Member(address: "/n2", version: "9", run: "n21", stored: Position(3)).value)
        bench.hold("n1", false)
        bench.pass(tenths: 2)
        expect(!bench.hasKey(keys.wish) && bench.leaders == ["n1"] && bench.replica("n1")?.takesWrites == true)
        expect(bench.ends[1] == .behind(.zero))
    }

    @Test func `a change that etcd does not answer ends after the patience`() {
        let bench = bench()
        bench.isLost = { name, call in name == "n3" && "\(call)".contains("otherwise") }
        bench.ask("n3", for: .promote("n2"), 1)
        bench.pass(tenths: 95)
        expect(bench.ends[1] == nil)
        bench.pass(tenths: 10)
        expect(bench.ends[1] == .late && bench.leaders == ["n1"])
    }

    // MARK: Remove

    @Test func `a node is forgotten, and a process that still runs under its name ends`() {
        let bench = bench()
        bench.ask("n1", for: .remove("n3"), 1)
        expect(bench.ends[1] == .removed && bench.stopped == ["n3": .removed])
        expect(bench.replica("n2")?.members.keys.sorted() == ["n1", "n2"])
        bench.start("n3", run: "2")
        expect(bench.stopped.isEmpty && bench.replica("n1")?.members.count == 3, "it joins as a new one")
    }

    @Test func `the node that leads is not removed, nor one that came to lead meanwhile`() {
        let bench = bench()
        bench.ask("n2", for: .remove("n1"), 1)
        expect(bench.ends[1] == .isLeading)
        bench.hold("n3")
        bench.ask("n1", for: .promote("n2"), 2)
        bench.handOver("n1")
        expect(bench.leaders == ["n2"])
        bench.hold("n3", false)
        // n3 has not heard of it yet.
        bench.ask("n3", for: .remove("n2"), 3)
        expect(bench.ends[3] == .isLeading || bench.ends[3] == .led(by: "n2"))
        expect(bench.hasKey(keys.node("n2")) && bench.stopped.isEmpty)
    }

    @Test func `a node that has not joined changes nothing`() {
        let bench = ClusterBench("n1")
        bench.pass(tenths: 5)
        bench.isLost = { name, _ in name == "n2" }
        bench.start("n2")
        bench.ask("n2", for: .remove("n1"), 1)
        expect(bench.ends[1] == .notJoined)
    }

    // MARK: Reports

    @Test func `each node sees where the others are, and which of them is silent`() throws {
        let bench = bench()
        bench.write("n1", after: 0, bytes: 100)
        bench.write("n1", after: 1, bytes: 50)
        bench.store("n1", 1)
        bench.kill("n3")
        bench.pass(tenths: 15)
        for name in ["n1", "n2"] {
            let replica = try require(bench.replica(name))
            let nodes = replica.nodes(at: bench.now)
            expect(
                nodes.map(\.name) == ["n1", "n2", "n3"] && nodes.map(\.phase) == [.leading, .following, .following])
            expect(nodes.map(\.position) == [2, 2, 0].map { Position($0) } && nodes[0].stored == Position(1))
            expect(nodes.map(\.isSilent) == [false, false, false] && nodes.map(\.address) == ["/n1", "/n2", "/n3"])
            expect(nodes.allSatisfy { $0.seen.map { $0 < 5 * ClusterBench.second } ?? false })
            expect(replica.tail == TailSize(first: Position(1), bytes: 150), "\(name)")
        }
        bench.pass(tenths: 80)
        let late = try require(bench.replica("n2")?.nodes(at: bench.now))
        expect(late.map(\.isSilent) == [false, false, true])
        expect(late[2].seen ?? 0 > 7 * ClusterBench.second)
    }

    @Test func `the tail is known to a node that begins to lead, and shrinks as entries are removed`() throws {
        let bench = bench()
        for head in 0..<10 as Range<UInt64> { bench.write("n1", after: head, bytes: 100) }
        bench.ask("n2", for: .promote("n2"), 1)
        bench.handOver("n1")
        bench.pass(tenths: 15)
        expect(bench.replica("n2")?.tail == TailSize(first: Position(1), bytes: 1_000))
        for name in ["n1", "n2", "n3"] { bench.store(name, 6) }
        bench.pass(tenths: 40)
        for name in ["n1", "n2"] {
            expect(bench.replica(name)?.tail == TailSize(first: Position(7), bytes: 400), "\(name)")
        }
    }
}
