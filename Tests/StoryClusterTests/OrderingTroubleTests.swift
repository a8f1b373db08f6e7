import StoryCore
import TestSupport
import Testing

@testable import StoryCluster

/// An ordering service that refuses, that is set back, or whose bytes change on their way.
struct OrderingTroubleTests {
    private let keys = LogKeys(log: "main")

    /// Two nodes, of which n1 leads, and both have stored two events.
    private func bench() -> ClusterBench {
        let bench = ClusterBench("n1", "n2")
        bench.pass(tenths: 10)
        for head in 0..<2 as Range<UInt64> { write(bench, after: head) }
        bench.pass(tenths: 40)
        expect(bench.leaders == ["n1"] && bench.stopped.isEmpty)
        return bench
    }

    private func write(_ bench: ClusterBench, after head: UInt64) {
        bench.write("n1", after: head, bytes: 10)
        for name in ["n1", "n2"] { bench.store(name, head + 1) }
    }

    // MARK: Refusals

    @Test func `nodes whose user may do nothing wait, say why, and go on once it may`() {
        let bench = bench()
        bench.refusal = { _, call in if case .renewLease = call { nil } else { .denied } }
        bench.write("n1", after: 2, bytes: 10)
        bench.pass(tenths: 60)
        expect(bench.stopped.isEmpty && bench.written.count == 2, "it waits for its outcome")
        for name in ["n1", "n2"] { expect(bench.replica(name)?.etcdRefuses?.contains("password") == true) }
        bench.refusal = { _, _ in nil }
        bench.pass(tenths: 40)
        expect(bench.written == [.committed, .committed, .committed] && bench.leaders == ["n1"])
        for name in ["n1", "n2"] { expect(bench.replica(name)?.etcdRefuses == nil) }
    }

    @Test func `a write that is denied for the patience was not made, and another one is once rights are back`() {
        let bench = bench()
        bench.refusal = { _, call in if case .renewLease = call { nil } else { .denied } }
        bench.write("n1", after: 2, bytes: 10)
        bench.pass(tenths: 130)
        expect(bench.written == [.committed, .committed, .superseded] && bench.stopped.isEmpty)
        bench.refusal = { _, _ in nil }
        bench.pass(tenths: 60)
        expect(bench.leaders.count == 1 && bench.stopped.isEmpty)
    }

    @Test func `a node that starts while it may do nothing waits, and joins once it may`() {
        let bench = bench()
        bench.refusal = { name, _ in name == "n3" ? .denied : nil }
        bench.start("n3")
        bench.pass(tenths: 50)
        expect(bench.replica("n3")?.etcdRefuses != nil && bench.replica("n1")?.members.count == 2)
        bench.refusal = { _, _ in nil }
        bench.pass(tenths: 20)
        // It asks another node for the first event, which the ordering service has no more.
        expect(bench.replica("n1")?.members.count == 3 && bench.replica("n3")?.etcdRefuses == nil)
    }

    @Test func `an entry that is too large for etcd is refused, and the node goes on to lead`() {
        let bench = bench()
        bench.refusal = { _, call in "\(call)".contains("/log/00000000000000000003") ? .tooLarge : nil }
        bench.write("n1", after: 2, bytes: 10)
        expect(bench.written.last == .refused("an entry of 10 bytes"))
        bench.refusal = { _, _ in nil }
        write(bench, after: 2)
        expect(bench.written.last == .committed && bench.leaders == ["n1"] && bench.stopped.isEmpty)
    }

    // MARK: An earlier state

    @Test func `nodes find an etcd that was set back, say so, and go on where all have its events`() {
        let bench = bench()
        let before = bench.etcd
        for head in 2..<6 as Range<UInt64> { write(bench, after: head) }
        bench.pass(tenths: 20)
        expect(bench.setBack.isEmpty && bench.replica("n1")?.etcdSetBack == nil)
        let revision = bench.etcd.revision
        bench.etcd = before
        bench.pass(tenths: 40)
        for name in ["n1", "n2"] {
            expect(bench.setBack[name].map { $0.from <= revision && $0.to < $0.from } == true)
            expect(bench.replica(name)?.etcdSetBack != nil)
        }
        expect(bench.stopped.isEmpty && bench.leaders.count == 1)
    }

    // MARK: Bytes that change

    @Test func `an entry that cannot be taken is read again, and only one that cannot be taken twice ends the node`() {
        let bench = bench()
        var times = 0
        bench.isGivenBack = { name, _ in
            times += 1
            return name == "n2" && times == 1
        }
        write(bench, after: 2)
        expect(bench.taken["n2"]?.last == Position(3) && times == 2 && bench.stopped.isEmpty)
        bench.pass(tenths: 10)
        expect(bench.replica("n2")?.isCaughtUp == true && bench.leaders == ["n1"])
        bench.isGivenBack = { name, _ in name == "n2" }
        bench.write("n1", after: 3, bytes: 10)
        expect(bench.stopped == ["n2": .diverged("it differs")])
    }

    @Test func `a key of a node that cannot be its own is read again`() {
        let bench = bench()
        let key = keys.node("n2")
        guard let pair = bench.etcd.pairs[key] else { return }
        bench.tell(
            "n2", [.put(OrderingKeyValue(key: key, value: [1, 2], created: pair.created, changed: pair.changed))])
        expect(bench.stopped.isEmpty)
        bench.pass(tenths: 20)
        expect(bench.replica("n2")?.isCaughtUp == true && bench.stopped.isEmpty)
    }
}
