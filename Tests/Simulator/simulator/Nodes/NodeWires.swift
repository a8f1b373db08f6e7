import LoopSupport
import StoryCluster
import StoryReactor
import StoryServer
import TestSupport

/// The connections between nodes: a node that lacks events asks another one for them.
final class NodeWires {
    /// A connection that a node made to another one, which ends with either process.
    private struct Wire {
        let maker: SimulatedProcess
        let id: ConnectionID
        let target: SimulatedProcess
        /// The name of the connection at the target.
        let name: String
        var impostor: Impostor?
    }

    /// Another peer in the place of a node: nothing that it is sent gets anywhere.
    struct Impostor {
        enum Manner: CaseIterable {
            case saysNothing, greetsAndIsSilent, sendsNonsense
        }

        let manner: Manner
        /// How many ticks it is there.
        var ticks: Int
        var hasGreeted = false
    }

    /// The most connections that a node has to others: to the one that leads, and to one that it gets events from.
    private static let mostLinks = 2

    private var wires: [Wire] = []
    /// Those in the places of nodes, by the nodes' names.
    private var impostors: [String: Impostor] = [:]
    private var count: UInt64 = 0

    /// The address of a node, which is the path of its socket.
    static func address(of node: String) -> String { "/\(node)" }

    /// Opens connections that were made, moves bytes both ways, and ends those that have ended at one side.
    ///
    /// - Throws: where a node has more connections than it uses.
    func move(_ nodes: [SimulatedNode]) throws {
        countDown()
        wires = wires.filter { isAlive($0, nodes) }
        for maker in nodes { connect(maker, nodes) }
        for index in wires.indices
        where isReached(wires[index].maker, nodes) && isReached(wires[index].target, nodes) {
            if wires[index].impostor == nil { move(wires[index]) } else { pretend(&wires[index]) }
        }
        for node in nodes {
            let links = node.running?.loop.transport.outbound.count ?? 0
            guard links <= NodeWires.mostLinks else {
                throw Difference("\(node.name) has \(links) connections to other nodes")
            }
        }
    }

    // MARK: Impostors

    /// Puts another peer in the place of a node, for those who connect within some ticks.
    func replace(_ node: String, by manner: Impostor.Manner, for ticks: Int) {
        impostors[node] = Impostor(manner: manner, ticks: ticks)
    }

    /// All peers are nodes again.
    func endImpostors() {
        impostors = [:]
        for index in wires.indices { wires[index].impostor?.ticks = 0 }
    }

    private func countDown() {
        for name in impostors.keys.sorted() { impostors[name]?.ticks -= 1 }
        impostors = impostors.filter { $0.value.ticks > 0 }
        for index in wires.indices { wires[index].impostor?.ticks -= 1 }
    }

    /// The peer in the place of a node reads what comes, and says what it says.
    private func pretend(_ wire: inout Wire) {
        guard var impostor = wire.impostor else { return }
        let (maker, target) = (wire.maker.loop, wire.target.loop)
        let hasAsked = !maker.transport.takeBytes(wire.id).isEmpty
        var bytes: [UInt8] = []
        if impostor.manner != .saysNothing, !impostor.hasGreeted {
            bytes = target.transport.takeBytes(target.id(wire.name))
            impostor.hasGreeted = !bytes.isEmpty
        } else if impostor.manner == .sendsNonsense, hasAsked {
            bytes = Array("nonsense\n".utf8)
        }
        wire.impostor = impostor
        bytes.withUnsafeBytes { if !$0.isEmpty { maker.server.bytesReceived(wire.id, $0) } }
    }

    // MARK: Connections

    /// True where nothing is in the way of a process.
    private func isReached(_ process: SimulatedProcess, _ nodes: [SimulatedNode]) -> Bool {
        nodes.contains { $0.running === process && $0.link.cut == .none }
    }

    /// Has a node reach the nodes that listen, and takes over the connections that it made.
    private func connect(_ maker: SimulatedNode, _ nodes: [SimulatedNode]) {
        guard let process = maker.running, !process.isStopped, maker.link.cut == .none else { return }
        let transport = process.loop.transport
        for target in nodes where target !== maker {
            let path = NodeWires.address(of: target.name)
            guard let running = target.running, isReached(running, nodes), running.loop.transport.isListening else {
                transport.listeners[path] = nil
                continue
            }
            // One connection at a time is made to a node, and no two have one number.
            let next = transport.listeners[path] ?? number()
            let made = ConnectionID(next.value - 1)
            if transport.outbound.contains(made), !wires.contains(where: { $0.maker === process && $0.id == made }) {
                let name = "\(maker.name) \(made.value)"
                running.loop.connect(name)
                wires.append(
                    Wire(
                        maker: process, id: made, target: running, name: name, impostor: impostors[target.name]))
                transport.listeners[path] = number()
            } else {
                transport.listeners[path] = next
            }
        }
    }

    private func number() -> ConnectionID {
        count += 2
        return ConnectionID(1 << 41 + count)
    }

    private func move(_ wire: Wire) {
        let (maker, target) = (wire.maker.loop, wire.target.loop)
        if !target.isPaused(wire.name) {
            let bytes = maker.transport.takeBytes(wire.id)
            if !bytes.isEmpty { target.receive(bytes, from: wire.name) }
        }
        guard !maker.transport.isPaused(wire.id) else { return }
        let bytes = target.transport.takeBytes(target.id(wire.name))
        if !bytes.isEmpty { bytes.withUnsafeBytes { maker.server.bytesReceived(wire.id, $0) } }
    }

    /// Ends a connection whose other side is gone; returns true for one that goes on.
    private func isAlive(_ wire: Wire, _ nodes: [SimulatedNode]) -> Bool {
        let isMakerUp = nodes.contains { $0.isUp && $0.process === wire.maker } && !wire.maker.isStopped
        let isTargetUp = nodes.contains { $0.isUp && $0.process === wire.target } && !wire.target.isStopped
        let isMade = isMakerUp && wire.maker.loop.transport.outbound.contains(wire.id)
        let isOver = wire.impostor.map { $0.ticks <= 0 } ?? false
        if isMade, isTargetUp, !isOver, !wire.target.loop.isFinished(wire.name) { return true }
        if isTargetUp { wire.target.loop.close(wire.name) }
        if isMade {
            wire.maker.loop.transport.close(wire.id)
            wire.maker.loop.server.connectionClosed(wire.id)
        }
        return false
    }
}
