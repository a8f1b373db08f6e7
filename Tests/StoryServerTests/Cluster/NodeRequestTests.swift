import LoopSupport
import StoryCluster
import StoryCore
import StoryServer
import TestSupport
import Testing

/// `CLUSTER` at the shipped loop: the nodes, and the changes of them.
struct NodeRequestTests {
    private let append = #"APPEND note-1 {"type":"A","data":{}}"#

    /// Three nodes, of which n1 leads and all have reported.
    private func bench() -> NodeBench {
        let bench = NodeBench(nodes: 3)
        bench.settle()
        bench.tick(40)
        expect(bench.leader == 0)
        return bench
    }

    private func leader(_ bench: NodeBench, at index: Int) -> String? {
        bench.ask("CLUSTER", at: index).last?.text("leader")
    }

    @Test func `each node has a row for each, and the end of the log`() {
        let bench = bench()
        for _ in 1...3 { expect(bench.ask(append).last?.hasPrefix("+") == true) }
        bench.tick(40)
        for index in 0..<3 {
            let told = bench.ask("CLUSTER", at: index)
            expect(told.map { $0.text("node") } == ["n1", "n2", "n3", nil] && told.last?.hasPrefix("+") == true)
            expect(told.map { $0.text("state") } == ["leading", "following", "following", nil])
            expect(told.map { $0.number("position") } == [3, 3, 3, 3])
            expect(told.prefix(3).map { $0.number("stored") } == [3, 3, 3])
            expect(told[1].text("address") == "/n2" && told[1].text("version") == "1")
            expect(told[index].contains(#""seen":0,"#) && told.prefix(3).allSatisfy { $0.contains(#""seen":"#) })
            let end = told.last ?? ""
            expect(end.hasPrefix(#"+ {"log":"main","leader":"n1","term":"#), "\(end)")
            expect(end.contains(#""position":3,"tail":{"first":3,"bytes":"#), "the last entry stays: \(end)")
        }
    }

    @Test func `a node that does not report is silent, and one that has not joined has a row of its own alone`() {
        let bench = bench()
        bench.etcds[2].isCut = true
        bench.tick(90)
        let told = bench.ask("CLUSTER")
        expect(told[2].hasPrefix(#"= {"node":"n3","address":"/n3","state":"silent","#), "\(told[2])")
        let alone = NodeBench()
        alone.etcds[0].isCut = true
        alone.tick(3)
        let own = alone.ask("CLUSTER")
        expect(own.count == 2 && own[0].text("state") == "catchingUp" && own[1].text("log") == "main")
    }

    @Test(arguments: [0, 1, 2])
    func `promote has a node lead, whichever is asked, and loses no write`(asked: Int) {
        let bench = bench()
        expect(bench.ask(append).last?.number("position") == 1)
        bench.etcds[0].fate = { $0.isEntry ? .held : .answered }
        bench.nodes[0].connected("w")
        bench.nodes[0].send(append, from: "w")
        bench.settle()
        expect(bench.ask("CLUSTER promote n3", at: asked) == [])
        expect(leader(bench, at: (asked + 1) % 3) == "n1", "the write comes first")
        bench.etcds[0].fate = { _ in .answered }
        bench.etcds[0].release()
        bench.settle()
        bench.tick()
        expect(bench.nodes[0].hear("w").map { $0.number("position") } == [2])
        let told = bench.nodes[asked].hear("a")
        expect(told.last?.hasPrefix(#"+ {"node":"n3","term":"#) == true && told.last?.number("position") == 2)
        for index in 0..<3 { expect(leader(bench, at: index) == "n3") }
        expect(bench.ask(append, at: 2).last?.number("position") == 3)
        expect(bench.ask("CLUSTER promote n3", at: asked).last?.text("node") == "n3", "once more changes nothing")
    }

    @Test func `what cannot be promoted or removed is refused with the reason`() {
        let bench = bench()
        let unknown = bench.ask("CLUSTER promote n9", at: 1).last ?? ""
        expect(unknown.text("code") == "notFound" && unknown.contains("it has n1, n2, n3"), "\(unknown)")
        expect(bench.ask("CLUSTER remove n9").last?.text("code") == "notFound")
        let leads = bench.ask("CLUSTER remove n1", at: 2).last ?? ""
        expect(leads.text("code") == "denied" && leads.contains("n1 leads the log"), "\(leads)")
        bench.etcds[2].isCut = true
        bench.tick(90)
        let silent = bench.ask("CLUSTER promote n3").last ?? ""
        expect(silent.text("code") == "unavailable" && silent.text("outcome") == "none", "\(silent)")
        expect(leader(bench, at: 0) == "n1")
        for line in ["CLUSTER demote n2", "CLUSTER promote", "CLUSTER promote n2 n3", "CLUSTER n2"] {
            expect(bench.ask(line).last?.text("retry") == "never", "\(line)")
        }
    }

    @Test func `a removed node is in no row, and its process ends with the reason`() {
        let bench = bench()
        let told = bench.ask("CLUSTER remove n3", at: 1)
        expect(told == [#"+ {"node":"n3","position":0}"#])
        bench.settle()
        expect(bench.ask("CLUSTER").compactMap { $0.text("node") } == ["n1", "n2"])
        expect(bench.nodes[2].transport.isStopped && bench.nodes[2].server.ending == .isNoNode(.removed))
        expect(bench.nodes[2].said(" not-a-node reason=\"this node was removed from the log\"") == 1)
    }

    @Test func `without etcd a change ends after the patience, and may be made later`() {
        let bench = bench()
        bench.etcds[1].isCut = true
        expect(bench.ask("CLUSTER promote n2", at: 1) == [])
        bench.tick(110)
        let late = bench.nodes[1].hear("a").last ?? ""
        expect(late.text("code") == "unavailable" && late.text("outcome") == "unknown", "\(late)")
    }

    @Test func `a change is for the role admin, and a store that is no node says so`() {
        let alone = LoopBench()
        alone.connected("a")
        for line in ["CLUSTER", "CLUSTER promote n1"] {
            let told = alone.ask(line, from: "a").last ?? ""
            expect(told.text("code") == "notFound" && told.contains("--cluster"), "\(told)")
        }
        let replica = ReplicaBench()
        replica.tick()
        let told = replica.ask("CLUSTER").last ?? ""
        expect(told.text("code") == "notLeader" && told.text("address") == "/source", "\(told)")
    }

    @Test func `STATS of a node has the calls to etcd`() throws {
        let bench = bench()
        expect(bench.ask(append).last?.hasPrefix("+") == true)
        let stats = bench.ask("STATS").last ?? ""
        expect((stats.number("calls") ?? 0) > 5 && stats.number("unknown") == 0 && stats.number("fenced") == 0)
        expect(stats.contains(#","engine":{"calls":"#) && stats.contains(#""p99us":"#))
        bench.etcds[0].fate = { $0.isEntry ? .lost : .answered }
        expect(bench.ask(append) == [])
        bench.tick(3)
        bench.shared.takeLeadAway()
        bench.etcds[0].fate = { _ in .answered }
        bench.tick(10)
        let after = bench.ask("STATS").last ?? ""
        expect((after.number("unknown") ?? 0) > 0 && (after.number("retried") ?? 0) > 0, "\(after)")
        expect((after.number("fenced") ?? 0) > 0, "\(after)")
        let alone = LoopBench()
        alone.connected("a")
        expect(alone.ask("STATS", from: "a").last?.contains("engine") == false)
    }
}
