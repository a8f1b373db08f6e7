package import StoryCluster
package import StoryCore
import StoryLog
import StoryServer
import StoryStorage

/// Nodes of one log: shipped loops over memory, and one ordering service that orders their entries.
package final class NodeBench {
    package let shared: SharedEtcd
    package private(set) var etcds: [DrivenEtcd] = []
    package private(set) var nodes: [LoopBench] = []
    private static let history = [UInt8](repeating: 7, count: 16)

    /// - Parameters:
    ///   - count: the number of nodes.
    ///   - limits: the limits of each.
    package init(nodes count: Int = 1, _ limits: Limits = Limits()) {
        shared = SharedEtcd(NodeBench.record(of: NodeBench.history))
        let inline = BackgroundStarter { work in
            work()
            return true
        }
        for number in 1...count {
            let etcd = DrivenEtcd(shared)
            let node = ClusterNode(ordering: etcd, settings: NodeBench.settings("n\(number)", run: "\(number)"))
            let loop = LoopBench(limits, node: node, background: inline)
            loop.clock.setStep(nanoseconds: 10_000)
            etcds.append(etcd)
            nodes.append(loop)
        }
        for node in nodes { node.connected("a") }
    }

    /// The identity of a log that begins with nothing.
    package static func record(of history: [UInt8]) -> LogRecord {
        LogRecord(identity: StoredIdentity(id: history), position: .zero, checksum: 0, cluster: 0)
    }

    /// The settings of a node; `run` tells this start from every other.
    package static func settings(_ name: String, run: String) -> ReplicaSettings {
        ReplicaSettings(log: "main", node: name, address: "/\(name)", version: "1", run: run)
    }

    /// Moves calls, answers and changes until none move any more.
    package func settle() {
        var isMoving = true
        while isMoving {
            isMoving = false
            for (node, etcd) in zip(nodes, etcds) where !node.transport.isStopped {
                node.run()
                if etcd.deliver() { isMoving = true }
                node.run()
            }
        }
    }

    /// Tenths of a second go by everywhere.
    package func tick(_ count: Int = 1) {
        for _ in 0..<count {
            shared.now += 100_000_000
            for node in nodes where !node.transport.isStopped {
                node.clock.pass(nanoseconds: 100_000_000)
                node.server.timerFired()
            }
            settle()
        }
    }

    /// Sends a line to a node, and returns the lines that its client heard.
    package func ask(_ line: String, at index: Int = 0) -> [String] {
        nodes[index].send(line, from: "a")
        settle()
        return nodes[index].hear("a")
    }

    /// The index of the node that says that it leads.
    package var leader: Int? {
        nodes.indices.first { ask("STATS", at: $0).last?.contains(#""state":"leading""#) == true }
    }
}
