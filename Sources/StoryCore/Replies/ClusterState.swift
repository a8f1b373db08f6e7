/// The part that a store has among the stores of its history.
package enum ClusterState: Equatable, Sendable {
    case replica(ReplicaState)
    case node(NodeState)

    /// The knowledge of a replica about its source, or of a node about its log.
    package var link: LinkState {
        switch self {
        case .replica(let replica): replica.link
        case .node(let node): node.link
        }
    }

    /// Returns the number of events that the store lacks; nil while that is not known.
    ///
    /// - Parameter head: the last event that is here.
    package func lag(behind head: Position) -> UInt64? {
        link.end.map { $0.value - min(head, $0).value }
    }
}

/// The knowledge of a replica about its source, or of a node about its log, the ordering service and the other nodes.
package struct LinkState: Equatable, Sendable {
    /// The last event of the source or the log; nil while that is not known, since nothing came of late.
    package let end: Position?
    /// The tenths of a second since the source or the ordering service sent anything; since the start where it has not
    /// yet.
    package let silence: UInt64
    /// The conditions of the link, the ordering service and the other nodes.
    package let conditions: Set<StoreCondition>

    /// Creates the knowledge.
    package init(end: Position?, silence: UInt64, _ conditions: Set<StoreCondition> = []) {
        (self.end, self.silence, self.conditions) = (end, silence, conditions)
    }

    /// The seconds since the source or the ordering service sent anything.
    package var silenceSeconds: Double { Double(silence) / 10 }
}

/// The state of a replica, as the greeting and `STATS` have it.
package struct ReplicaState: Equatable, Sendable {
    /// The progress of a replica.
    package enum Phase: String, Sendable {
        /// It has not got all events of its source, or does not reach it.
        case catchingUp
        /// It gets each event of its source when that is acknowledged.
        case following
    }

    /// The progress.
    package let phase: Phase
    /// The address of the source.
    package let address: String
    /// The knowledge about the source.
    package let link: LinkState

    /// Creates a state.
    package init(_ phase: Phase, of address: String, _ link: LinkState) {
        (self.phase, self.address, self.link) = (phase, address, link)
    }
}

/// The state of a node, as the greeting and `STATS` have it.
package struct NodeState: Equatable, Sendable {
    /// The progress of a node.
    package enum Phase: String, Sendable {
        /// It has not got all events of the log, or does not reach the service that orders them.
        case catchingUp
        /// It gets each event when that is acknowledged.
        case following
        /// It takes the writes of the log.
        case leading
    }

    /// The node that leads.
    package struct Leader: Equatable, Sendable {
        /// Its name and its address.
        package let (node, address): (String, String)
        /// The number of its term.
        package let term: Int64

        /// Names the leader.
        package init(node: String, address: String, term: Int64) {
            (self.node, self.address, self.term) = (node, address, term)
        }
    }

    /// The name of the log.
    package let log: String
    /// The name of this node.
    package let node: String
    /// The progress.
    package let phase: Phase
    /// The node that leads, as far as is known.
    package let leader: Leader?
    /// The last event that is stored here.
    package let stored: Position
    /// The knowledge about the log.
    package let link: LinkState

    /// Creates a state from its parts.
    package init(
        log: String, node: String, phase: Phase, leader: Leader?, stored: Position, _ link: LinkState
    ) {
        (self.log, self.node, self.phase, self.leader) = (log, node, phase, leader)
        (self.stored, self.link) = (stored, link)
    }
}
