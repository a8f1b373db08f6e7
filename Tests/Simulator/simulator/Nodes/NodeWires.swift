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
    }

    private var wires: [Wire] = []
    private var count: UInt64 = 0

    /// The address of a node, which is the path of its socket.
    static func address(of node: String) -> String { "/\(node)" }

    /// Opens connections that were made, moves bytes both ways, and ends those that have ended at one side.
    func move(_ nodes: [SimulatedNode]) {
        wires = wires.filter { isAlive($0, nodes) }
        for maker in nodes { connect(maker, nodes) }
        for wire in wires where isReached(wire.maker, nodes) && isReached(wire.target, nodes) { move(wire) }
    }

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
                wires.append(Wire(maker: process, id: made, target: running, name: name))
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
        if isMade, isTargetUp, !wire.target.loop.isFinished(wire.name) { return true }
        if isTargetUp { wire.target.loop.close(wire.name) }
        if isMade {
            wire.maker.loop.transport.close(wire.id)
            wire.maker.loop.server.connectionClosed(wire.id)
        }
        return false
    }
}
