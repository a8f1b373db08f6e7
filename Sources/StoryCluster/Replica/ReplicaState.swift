import StoryCore

/// The purpose of catching up.
enum Aim: Equatable {
    case follow
    /// This node has the lead of a term, and writes once it has everything that was written before.
    case lead(Term, lease: Int64, seconds: Int)
}

/// The state of a node.
enum ReplicaState: Equatable {
    /// Reads the log's identity, its nodes and its ends.
    case joining
    /// Writes this node's own key.
    ///
    /// `behind`: the position through which the ordering service has no events any more that this node lacks.
    case registering(behind: Position?)
    /// Fetches events that the ordering service no longer has from another node.
    case seeding(through: Position)
    case catchingUp(then: Aim)
    case following
    /// Asks for a lease, then for the lead.
    case campaigning(lease: Int64?, seconds: Int)
    case leading(Leadership)
    /// Gives up the lead of a term, which is never taken up again.
    case resigning(Term)
    case stopped

    /// True once the node's key is written.
    var isRegistered: Bool {
        switch self {
        case .joining, .registering, .stopped: false
        case .seeding, .catchingUp, .following, .campaigning, .leading, .resigning: true
        }
    }
}
