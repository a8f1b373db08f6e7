/// A change of a log's nodes that somebody asks a node for.
package enum NodeChange: Equatable, Sendable {
    /// This node leads.
    case promote(String)
    /// This node is forgotten.
    case remove(String)

    /// The node that it is about.
    package var node: String {
        switch self {
        case .promote(let node), .remove(let node): node
        }
    }
}
