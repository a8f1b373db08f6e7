import StoryCluster
import StoryCore
import TestSupport
import Testing

/// The removal of entries that nodes have stored, and what the ordering service keeps for those that have not.
struct TailTests {
    /// The node n1 leads, beside others that have stored nothing.
    private func leading(_ others: String..., head: Position = .zero) -> HandDriven {
        var node = HandDriven(head: head)
        for name in others { node.put(name, stored: 0) }
        node.perform { $0.began(at: $1) }
        expect(node.replica.isLeading)
        return node
    }

    @Test func `what all nodes have stored is removed, but for the last entry`() {
        var node = leading("n2")
        for _ in 1...5 { node.write(10) }
        node.store(5)
        node.pass(HandDriven.second)
        expect(node.entries == [1, 2, 3, 4, 5], "n2 has nothing")
        node.put("n2", stored: 3, tells: .nodes)
        node.pass(HandDriven.second)
        expect(node.entries == [4, 5])
        node.put("n2", stored: 5, tells: .nodes)
        node.pass(HandDriven.second)
        expect(node.entries == [5])
    }

    @Test func `a node that is away keeps as much as the tail; above that two copies are enough, and one is not`() {
        var node = leading("n2", "n3")
        for _ in 1...9 { node.write(100) }
        node.put("n2", stored: 4, tells: .nodes)
        node.store(9)
        node.pass(HandDriven.second)
        expect(node.entries.count == 9, "the tail has room")
        for _ in 1...2 { node.write(100) }
        node.pass(HandDriven.second)
        expect(node.entries == [5, 6, 7, 8, 9, 10, 11], "only n1 has the others")
        node.put("n2", stored: 11, tells: .nodes)
        node.pass(HandDriven.second)
        expect(node.entries.first == 5, "the tail has room again")
    }

    @Test func `writes have to wait at four times the tail that a second node has not stored`() {
        var node = leading("n2")
        for _ in 1...40 { node.write(100) }
        expect(!node.replica.isTailFull, "the last entry, which is never removed, does not count")
        node.write(100)
        node.store(41)
        node.pass(HandDriven.second)
        expect(node.replica.isTailFull && node.entries.count == 41)
        node.put("n2", stored: 30, tells: .nodes)
        node.pass(HandDriven.second)
        expect(!node.replica.isTailFull && node.entries.first == 31)
    }

    @Test func `the only node of a log removes what it has stored`() {
        var node = leading()
        for _ in 1...3 { node.write(100) }
        node.store(2)
        node.pass(HandDriven.second)
        expect(node.entries == [3])
    }

    @Test func `what came before the leader's process is removed once two nodes have it`() {
        var node = HandDriven(head: Position(3))
        for first in 1...3 as ClosedRange<UInt64> {
            let head = EntryHead(
                first: Position(first), count: 1, previous: 0, bytes: 1, digest: EntryHead.Digest(low: 1, high: 2))
            node.etcd.put(node.keys.entry(head.first), head.value(term: Term(1), records: [1]))
        }
        for (name, stored) in [("n2", 2), ("n3", 0)] as [(String, UInt64)] { node.put(name, stored: stored) }
        node.perform { $0.began(at: $1) }
        for _ in 1...2 { node.write(1) }
        node.store(5)
        node.pass(HandDriven.second)
        expect(node.entries == [3, 4, 5])
        node.put("n2", stored: 5, tells: .nodes)
        node.pass(HandDriven.second)
        expect(node.entries == [4, 5], "n3 is away, and the tail has room")
    }

    /// A node that follows n2, and has seen eleven entries of 100 bytes, which n2 has stored and n3 has not.
    private func following() -> HandDriven {
        var node = HandDriven()
        for name in ["n2", "n3"] { node.put(name, stored: 0) }
        node.etcd.put(node.keys.leader, Array("node=n2\naddress=/n2\nnonce=x\n".utf8))
        for first in 1...11 as ClosedRange<UInt64> {
            let head = EntryHead(
                first: Position(first), count: 1, previous: 0, bytes: 100, digest: EntryHead.Digest(low: 1, high: 2))
            node.etcd.put(
                node.keys.entry(head.first),
                head.value(term: Term(1), records: [UInt8](repeating: 1, count: 100)))
        }
        node.perform { $0.began(at: $1) }
        for position in 1...11 as ClosedRange<UInt64> {
            node.perform { $0.taken(through: Position(position), at: $1) }
        }
        node.put("n2", stored: 11, tells: .live)
        return node
    }

    /// The node that led is gone, and the node leads; it has stored everything.
    private func lead(_ node: inout HandDriven) {
        let leader = OrderingRange(from: node.keys.leader)
        _ = node.etcd.apply(.transaction(OrderingTransaction(conditions: [], then: [.delete(leader)])), at: node.now)
        let gone = OrderingWatchBatch([.deleted(node.keys.leader, at: node.etcd.revision)], node.etcd.header)
        node.perform { $0.watched(.live, gone, at: $1) }
        expect(node.replica.isLeading)
        node.store(11)
        node.pass(HandDriven.second)
    }

    @Test func `a follower counts what it sees, and so knows the tail when it leads`() {
        var node = following()
        lead(&node)
        expect(node.entries == [11])
    }

    @Test func `a late try that puts an entry back does not keep the next leader from removing those after it`() throws
    {
        var node = following()
        let late = try require(node.etcd.pairs[node.keys.entry(Position(3))])
        node.etcd.put(late.key, late.value)
        let batch = OrderingWatchBatch([.put(try require(node.etcd.pairs[late.key]))], node.etcd.header)
        node.perform { $0.watched(.live, batch, at: $1) }
        lead(&node)
        expect(node.entries == [11] && !node.replica.isTailFull)
    }

    @Test func `etcd forgets what was removed, each half minute and each 64 MiB`() {
        var node = leading()
        for _ in 1...28 {
            node.write(10)
            node.pass(HandDriven.second)
        }
        expect(node.etcd.compacted == 0)
        for _ in 1...4 {
            node.write(10)
            node.pass(HandDriven.second)
        }
        let first = node.etcd.compacted
        expect(first > 0 && first < node.etcd.revision)
        for _ in 1...255 { node.write(256 << 10) }
        for _ in 1...3 { node.pass(HandDriven.second) }
        expect(node.etcd.compacted == first)
        node.write(256 << 10)
        node.pass(HandDriven.second)
        expect(node.etcd.compacted > first)
    }
}
