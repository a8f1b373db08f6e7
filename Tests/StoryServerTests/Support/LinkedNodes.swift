import LoopSupport
import StoryCore
import StoryReactor
import StoryServer
import TestSupport

/// Nodes of one log, and the links between them.
final class LinkedNodes {
    let bench: NodeBench
    private var links: [Int: Link] = [:]
    private var count = 0

    /// The link of a node to another one.
    private struct Link {
        let made: ConnectionID
        let other: Int
        /// The name of its connection there.
        let name: String
    }

    /// The numbers of the connections to a node begin here, for each node.
    private static let numbers: UInt64 = 1_000_000

    init(_ count: Int, _ limits: Limits = Limits()) {
        bench = NodeBench(nodes: count, limits)
        for node in bench.nodes {
            for index in 0..<count {
                node.transport.listeners["/n\(index + 1)"] = ConnectionID(LinkedNodes.numbers * UInt64(index + 1))
            }
        }
        settle()
    }

    /// Moves bytes until none move any more.
    func settle() {
        repeat { bench.settle() } while move()
    }

    func tick(_ count: Int = 1) {
        for _ in 0..<count {
            bench.tick()
            settle()
        }
    }

    /// Sends lines to a node, and returns the lines that its client heard.
    func ask(_ lines: String..., at index: Int) -> [String] {
        send(lines, to: index)
        settle()
        return bench.nodes[index].hear("a")
    }

    /// Sends lines to a node; nothing gets to the others yet.
    func send(_ lines: [String], to index: Int) {
        bench.nodes[index].receive(lines.map { $0 + "\n" }.joined(), from: "a")
        bench.nodes[index].run()
    }

    /// Moves the bytes of links once, and nothing to etcd or from it.
    func step() { _ = move() }

    /// A node is killed: its links end, and nobody listens any more.
    func kill(_ index: Int) {
        bench.nodes[index].transport.stop()
        for node in bench.nodes { node.transport.listeners["/n\(index + 1)"] = nil }
        for (from, link) in links where link.other == index { cut(from, link) }
    }

    /// The link of a node ends, and can be made again.
    func breakLink(of index: Int) {
        guard let link = links[index] else { return }
        bench.nodes[link.other].close(link.name)
        cut(index, link)
    }

    private func cut(_ index: Int, _ link: Link) {
        links[index] = nil
        bench.nodes[index].transport.close(link.made)
        bench.nodes[index].server.connectionClosed(link.made)
    }

    private func move() -> Bool {
        var isMoving = false
        for index in bench.nodes.indices where !bench.nodes[index].transport.isStopped {
            if move(index) { isMoving = true }
        }
        return isMoving
    }

    private func move(_ index: Int) -> Bool {
        let node = bench.nodes[index]
        let made = node.transport.outbound.last
        if let link = links[index], made != link.made {
            links[index] = nil
            if !bench.nodes[link.other].transport.isStopped { bench.nodes[link.other].close(link.name) }
        }
        guard let made else { return false }
        let link = links[index] ?? open(made, of: index)
        let other = bench.nodes[link.other]
        guard !other.transport.isStopped else { return false }
        let asked = node.transport.takeLines(made)
        for line in asked { other.receive(line + "\n", from: link.name) }
        other.run()
        let told = other.hear(link.name)
        for line in told {
            Array((line + "\n").utf8).withUnsafeBytes { node.server.bytesReceived(made, $0) }
        }
        if other.isFinished(link.name), links[index]?.name == link.name {
            other.close(link.name)
            cut(index, link)
            return true
        }
        node.run()
        return !asked.isEmpty || !told.isEmpty
    }

    private func open(_ made: ConnectionID, of index: Int) -> Link {
        count += 1
        let link = Link(made: made, other: Int(made.value / LinkedNodes.numbers) - 1, name: "link-\(count)")
        links[index] = link
        bench.nodes[link.other].connect(link.name)
        bench.nodes[link.other].run()
        return link
    }
}
