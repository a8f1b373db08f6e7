import StoryCluster
import StoryCore
import TestSupport
import Testing

/// A node whose disk is full, and one whose seals are others than those of another node.
struct FitnessTests {
    private func leading(_ others: String...) -> HandDriven {
        var node = HandDriven()
        for name in others { node.put(name, stored: 0) }
        node.perform { $0.began(at: $1) }
        expect(node.replica.isLeading)
        return node
    }

    private func storage(_ node: inout HandDriven, isFull: Bool) {
        node.perform { replica, _ in
            replica.storageChanged(isFull: isFull)
            return []
        }
        node.pass(HandDriven.second / 10)
    }

    private func isLed(_ node: HandDriven) -> Bool { node.etcd.pairs[node.keys.leader] != nil }

    @Test func `a leader whose disk is full hands the lead over, and takes it back where no other node does`() {
        var node = leading("n2")
        storage(&node, isFull: true)
        expect(!node.replica.isLeading && !isLed(node))
        for _ in 1...5 { node.pass(HandDriven.second) }
        expect(!isLed(node), "n2 may take it")
        for _ in 1...2 { node.pass(HandDriven.second) }
        expect(node.replica.isLeading && isLed(node))
        for _ in 1...20 { node.pass(HandDriven.second) }
        expect(node.replica.isLeading, "there is nobody to hand it over to")
        storage(&node, isFull: false)
        storage(&node, isFull: true)
        expect(!node.replica.isLeading)
    }

    @Test func `the only node of a log keeps the lead`() {
        var node = leading()
        storage(&node, isFull: true)
        expect(node.replica.isLeading)
    }

    @Test func `a node stops where another one has another seal at a position`() {
        var node = leading("n2")
        node.perform { replica, _ in replica.stored(through: Position(70_000), seal: "65536:aa") }
        node.perform { replica, _ in replica.stored(through: Position(140_000), seal: "131072:bb") }
        node.put("n2", stored: 70_000, seal: "65536:aa", tells: .nodes)
        node.put("n2", stored: 200_000, seal: "196608:cc", tells: .nodes)
        expect(node.replica.isLeading)
        node.put("n2", stored: 140_000, seal: "131072:b", tells: .nodes)
        guard case .stop(let error)? = node.done.last else {
            Issue.record("\(node.done)")
            return
        }
        expect(error.isDamage && "\(error)".contains("the node n2 has another seal at position 131072"))
    }

    @Test func `a node stops where it computes another seal than one that was told`() {
        var node = leading("n2")
        node.put("n2", stored: 70_000, seal: "65536:aa", tells: .nodes)
        node.perform { replica, _ in replica.stored(through: Position(70_000), seal: "65536:ab") }
        guard case .stop(.diverged)? = node.done.last else {
            Issue.record("\(node.done)")
            return
        }
    }
}
