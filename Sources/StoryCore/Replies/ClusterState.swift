/// The part that a store has among the stores of its history.
package enum ClusterState: Equatable, Sendable {
    case replica(ReplicaState)
    case node(NodeState)
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
    /// The last event of the source, as far as that is known.
    package let source: Position

    /// Creates a state.
    package init(_ phase: Phase, of address: String, at source: Position) {
        (self.phase, self.address, self.source) = (phase, address, source)
    }
}

/// The state of a node, as the greeting and `STATS` have it.
package struct NodeState: Equatable, Sendable {
    /// The progress of a node.
    package enum Phase: String, Sendable {
        /// It has not got all events of the log, or does not reach the engine that orders them.
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
    /// The last event of the log, as far as is known.
    package let position: Position
    /// The last event that is stored here.
    package let stored: Position
    /// The reason why the engine refuses what this node has to do; nil while it does not.
    package let engineRefuses: String?
    /// True where the engine was found to have an earlier state than it had, since the process began.
    package let isEngineSetBack: Bool

    /// Creates a state from its parts.
    package init(
        log: String, node: String, phase: Phase, leader: Leader?, position: Position, stored: Position,
        engineRefuses: String? = nil, isEngineSetBack: Bool = false
    ) {
        (self.log, self.node, self.phase, self.leader) = (log, node, phase, leader)
        (self.position, self.stored) = (position, stored)
        (self.engineRefuses, self.isEngineSetBack) = (engineRefuses, isEngineSetBack)
    }
}
