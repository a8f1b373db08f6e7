import StoryCore
import TestSupport
import Testing

@testable import StoryCluster

/// Processes under one node's name, and nodes that are gone from the log, or whose log is gone.
struct NodeNameTests {
    private let keys = LogKeys(log: "main")

    /// The node n1, which leads, over the directory `d1`, and has stored three events.
    private func bench() -> ClusterBench {
        let bench = ClusterBench()
        bench.start("n1", directory: "d1")
        bench.pass(tenths: 10)
        for head in 0..<3 as Range<UInt64> { bench.write("n1", after: head, bytes: 10) }
        bench.store("n1", 3)
        bench.pass(tenths: 40)
        expect(bench.leaders == ["n1"] && bench.stopped.isEmpty)
        return bench
    }

    @Test func `a process that has less than the name has stored ends, and the first goes on`() {
        let bench = bench()
        bench.start("n1", run: "2", directory: "d2", as: "newcomer")
        expect(bench.stopped == ["newcomer": .holdsLess(node: "n1", stored: Position(3), here: .zero)])
        bench.pass(tenths: 100)
        expect(bench.leaders == ["n1"])
        bench.kill("n1")
        bench.pass(tenths: 100)
        bench.start("n1", run: "3", directory: "d2", head: 2)
        expect(bench.stopped["n1"] == .holdsLess(node: "n1", stored: Position(3), here: Position(2)))
    }

    @Test func `a process with as much on another directory ends while the first one lives`() {
        let bench = bench()
        bench.start("n1", run: "2", directory: "d2", head: 3, as: "newcomer")
        expect(bench.stopped.isEmpty && bench.replica("newcomer")?.isCaughtUp == false)
        bench.pass(tenths: 40)
        expect(bench.stopped == ["newcomer": .inUse(node: "n1", address: "/n1")] && bench.leaders == ["n1"])
    }

    @Test func `a process on another directory takes over the name of one that is silent for seven seconds`() {
        let bench = bench()
        bench.kill("n1")
        bench.start("n1", run: "2", directory: "d2", head: 3)
        bench.pass(tenths: 65)
        expect(bench.leaders.isEmpty && bench.etcd.pairs[keys.node("n1")].map { Member($0).directory } == "d1")
        // Time in which the key cannot be read says nothing of the other process.
        bench.isLost = { _, _ in true }
        bench.pass(tenths: 100)
        bench.isLost = { _, _ in false }
        bench.pass(tenths: 65)
        expect(bench.leaders.isEmpty)
        bench.pass(tenths: 25)
        expect(bench.leaders == ["n1"] && bench.stopped.isEmpty)
        expect(bench.etcd.pairs[keys.node("n1")].map { Member($0).directory } == "d2")
    }

    @Test func `a process on the same directory takes the name over at once, since the one before is gone`() {
        let bench = bench()
        bench.kill("n1")
        bench.start("n1", run: "2", directory: "d1", head: 3)
        expect(bench.leaders == ["n1"] && bench.stopped.isEmpty)
    }

    @Test func `a process whose name was taken over while it was still ends`() {
        let bench = bench()
        bench.hold("n1")
        bench.start("n1", run: "2", directory: "d2", head: 3, as: "newcomer")
        bench.pass(tenths: 80)
        expect(bench.leaders == ["newcomer", "n1"].sorted() && bench.stopped.isEmpty)
        bench.hold("n1", false)
        bench.pass(tenths: 10)
        expect(bench.stopped == ["n1": .replaced] && bench.leaders == ["newcomer"])
    }

    @Test func `a node whose etcd has nothing of the log any more says so, whether it leads or follows or starts`() {
        let bench = bench()
        bench.start("n2", directory: "d2")
        bench.pass(tenths: 20)
        bench.etcd = SimulatedEtcd()
        bench.pass(tenths: 60)
        expect(bench.stopped == ["n1": .noLog("main"), "n2": .noLog("main")])
        expect(bench.stopped.values.allSatisfy { $0.isDamage })
        bench.start("n1", run: "2", directory: "d1", head: 3)
        expect(bench.stopped["n1"] == .noLog("main"))
    }

    @Test func `a node that finds another etcd, or a log that was made anew, says that`() {
        let bench = bench()
        var other = SimulatedEtcd()
        var record = LogRecord(
            identity: StoredIdentity(id: ModelLog.history), position: .zero, checksum: 0, cluster: other.cluster + 1)
        other.put(keys.identity, record.value)
        bench.etcd = other
        bench.pass(tenths: 60)
        expect(bench.stopped == ["n1": .otherCluster])
        record.cluster = other.cluster
        bench.etcd.put(keys.identity, record.value)
        bench.start("n1", run: "2", directory: "d1", head: 3)
        guard case .ahead? = bench.stopped["n1"] else {
            Issue.record("\(bench.stopped)")
            return
        }
    }
}
