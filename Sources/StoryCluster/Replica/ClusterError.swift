/// The reason why a node stops.
package enum ClusterError: Error, Equatable, Sendable, CustomStringConvertible {
    /// There is no such log in the engine.
    case noLog(String)
    /// The data directory holds another history.
    case otherHistory
    /// The engine, or another node, has other events than the data directory.
    case diverged(String)
    /// The data directory has events that the engine lacks.
    case ahead(String)
    /// The engine is another cluster than the one that the log was made in.
    case otherCluster
    /// The node was removed from the log.
    case removed
    /// Another process runs under the node's name.
    case replaced
    /// The engine refuses what a node has to do.
    case refused(String)
    /// A value in the engine that this program does not read.
    case unreadable(String)

    /// True for an error that a person has to look into, since two copies of the log differ.
    package var isDamage: Bool {
        switch self {
        case .diverged, .ahead, .otherCluster: true
        case .noLog, .otherHistory, .removed, .replaced, .refused, .unreadable: false
        }
    }

    package var description: String {
        switch self {
        case .noLog(let name): "there is no log \(name) in the engine; make it with --create"
        case .otherHistory: "the data directory holds another history than the log in the engine"
        case .diverged(let text): "this node's log differs from that of the cluster: \(text)"
        case .ahead(let text):
            "the engine lost events that this node has: \(text); restore the newest data directory and make the log anew"
        case .otherCluster: "the engine is another cluster than the one that the log was made in"
        case .removed: "this node was removed from the log"
        case .replaced: "another process runs under this node's name"
        case .refused(let text): "the engine refuses: \(text)"
        case .unreadable(let text): text
        }
    }
}
