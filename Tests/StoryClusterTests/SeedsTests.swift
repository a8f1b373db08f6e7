import StoryCluster
import StoryCore
import TestSupport
import Testing

/// A node that lacks events which the ordering service has no more: it asks other nodes for them.
struct SeedsTests {
    private static let second: UInt64 = 1_000_000_000
    private let keys = LogKeys(log: "main")

    /// The actions since the last call that have to do with other nodes' events.
    private func seeds(_ node: inout HandDriven) -> [ClusterAction] {
        defer { node.done = [] }
        return node.done.filter { action in
            switch action {
            case .seed, .seedIsMissing: true
            default: false
            }
        }
    }

    /// The node n1, which ends at 4, where the ordering service has entries from 9 on.
    ///
    /// - Parameters:
    ///   - stored: the last position that each other node has stored.
    ///   - leader: the node that leads; nil for none.
    private func begun(_ stored: [(String, UInt64)], led leader: String? = nil) -> HandDriven {
        var node = HandDriven(head: Position(4))
        for (name, position) in stored { node.put(name, stored: position) }
        if let leader { node.etcd.put(keys.leader, Array("node=\(leader)\naddress=/\(leader)\nnonce=x\n".utf8)) }
        let head = EntryHead(
            first: Position(9), count: 2, previous: 8, bytes: 3, digest: EntryHead.Digest(low: 1, high: 2))
        node.etcd.put(keys.entry(head.first), head.value(term: Term(1), records: [1, 2, 3]))
        node.perform { $0.began(at: $1) }
        return node
    }

    @Test func `the nodes that have the events are asked, one after the other, until one has sent all of them`() {
        var node = begun([("n2", 8), ("n3", 7), ("n4", 12)])
        expect(seeds(&node) == [.seed(from: "/n2", through: Position(8))])
        node.pass(5 * Self.second)
        expect(seeds(&node) == [], "one at a time")
        node.perform { $0.seedEnded(through: Position(6), at: $1) }
        expect(seeds(&node) == [], "not at once")
        node.pass(Self.second)
        expect(seeds(&node) == [.seed(from: "/n4", through: Position(8))])
        expect(!node.replica.isCaughtUp && node.replica.reach == Position(8))
        node.perform { $0.seedEnded(through: Position(8), at: $1) }
        guard case .take(let entry)? = node.done.first else {
            Issue.record("\(node.done)")
            return
        }
        expect(entry.head.first == Position(9) && entry.records == [1, 2, 3])
        expect(node.replica.isCaughtUp && seeds(&node) == [])
    }

    @Test func `the node that leads is asked last`() {
        var node = begun([("n2", 8), ("n3", 8), ("n4", 8)], led: "n2")
        for name in ["n3", "n4", "n2", "n3"] {
            expect(seeds(&node) == [.seed(from: "/\(name)", through: Position(8))])
            node.perform { $0.seedEnded(through: Position(4), at: $1) }
            // After all of them the nodes are read again.
            for _ in 0..<(name == "n2" ? 2 : 1) { node.pass(Self.second) }
        }
    }

    @Test func `after the last node the first one is asked again, with the nodes that are there by then`() {
        var node = begun([("n2", 8)])
        expect(seeds(&node) == [.seed(from: "/n2", through: Position(8))])
        node.perform { $0.seedEnded(through: Position(4), at: $1) }
        node.put("n3", stored: 9)
        for _ in 0..<2 { node.pass(Self.second) }
        expect(seeds(&node) == [.seed(from: "/n2", through: Position(8))])
        node.perform { $0.seedEnded(through: Position(5), at: $1) }
        node.pass(Self.second)
        expect(seeds(&node) == [.seed(from: "/n3", through: Position(8))])
    }

    @Test func `where no node has the events, that is said, and the first one that has them is asked`() {
        var node = begun([("n2", 7)])
        expect(seeds(&node) == [.seedIsMissing(Position(8))])
        for _ in 0..<3 { node.pass(Self.second) }
        expect(seeds(&node).allSatisfy { $0 == .seedIsMissing(Position(8)) })
        node.put("n2", stored: 8)
        for _ in 0..<2 { node.pass(Self.second) }
        expect(seeds(&node).last == .seed(from: "/n2", through: Position(8)))
    }

    @Test func `what was trimmed meanwhile is fetched as well`() {
        var node = begun([("n2", 20)])
        expect(seeds(&node) == [.seed(from: "/n2", through: Position(8))])
        let last = EntryHead(
            first: Position(15), count: 1, previous: 8, bytes: 3, digest: EntryHead.Digest(low: 1, high: 2))
        node.etcd.put(keys.entry(last.first), last.value(term: Term(1), records: [1, 2, 3]))
        let trim = OrderingTransaction(conditions: [], then: keys.before(last.first).map { .delete($0) })
        _ = node.etcd.apply(.transaction(trim), at: node.now)
        node.perform { $0.seedEnded(through: Position(8), at: $1) }
        expect(seeds(&node) == [.seed(from: "/n2", through: Position(14))])
    }
}
