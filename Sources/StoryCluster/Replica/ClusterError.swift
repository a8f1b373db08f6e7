package import StoryCore

/// The reason why a node stops.
package enum ClusterError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The ordering service has nothing of the log any more: this node's directory is one of its nodes'.
    case noLog(String)
    /// The data directory holds another history.
    case otherHistory
    /// The ordering service, or another node, has other events than the data directory.
    case diverged(String)
    /// The data directory has events that the ordering service lacks.
    case ahead(String)
    /// The ordering service is another cluster than the one that the log was made in.
    case otherCluster
    /// The node was removed from the log.
    case removed
    /// Another process took over the node's name.
    case replaced
    /// Another process runs under the node's name, which it had first.
    case inUse(node: String, address: String)
    /// The node has stored events that the data directory lacks.
    case holdsLess(node: String, stored: Position, here: Position)
    /// A value in the ordering service that this program does not read.
    case unreadable(String)

    /// True for an error that a person has to look into, since two copies of the log differ.
    package var isDamage: Bool {
        switch self {
        case .noLog, .diverged, .ahead, .otherCluster: true
        case .otherHistory, .removed, .replaced, .inUse, .holdsLess, .unreadable: false
        }
    }

    package var description: String {
        switch self {
        case .noLog(let name):
            "etcd has no log \(name) any more: it was emptied, or is another one than --cluster named before; \(ClusterError.remedy)"
        case .otherHistory:
            "the data directory holds another history than the log in etcd; a copy of a node's directory has one of "
                + "its own: begin a node with an empty directory, and the others send it the events"
        case .diverged(let text): "this node's log differs from that of the cluster: \(text)"
        case .ahead(let text): "etcd lost events that this node has: \(text); \(ClusterError.remedy)"
        case .otherCluster:
            "etcd is another cluster than the one that the log was made in: look at --cluster; where etcd is lost, \(ClusterError.remedy)"
        case .removed: "this node was removed from the log"
        case .replaced: "another process runs under this node's name"
        case .inUse(let node, let address):
            "the node \(node) runs already, at \(address), with another data directory: start this one with another --node"
        case .holdsLess(let node, let stored, let here):
            "the node \(node) has stored the events through \(stored.value), and this data directory ends at "
                + "\(here.value): start it with the directory that has them, or this one with another --node; where they are "
                + "lost, remove \(node) at another node first (CLUSTER remove \(node))"
        case .unreadable(let text): text
        }
    }

    private static let remedy =
        "take the directory that has most (storectl --data DIR verify), restore it, and make a log of that"
}
