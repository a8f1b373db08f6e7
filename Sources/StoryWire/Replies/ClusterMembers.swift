package import StoryCore

extension ClusterState {
    /// The members of `cluster`, in the greeting and in `STATS`.
    package var members: [Member] {
        switch self {
        case .replica(let replica):
            [Member("state", .text(replica.phase.rawValue)), Member("address", .text(replica.address))]
        case .node(let node):
            [
                Member("log", .text(node.log)), Member("node", .text(node.node)),
                Member("state", .text(node.phase.rawValue)),
            ]
                + (node.leader.map { [Member("leader", .text($0.node)), Member("address", .text($0.address))] } ?? [])
        }
    }

    /// The further members in `STATS`.
    ///
    /// - Parameter head: the last event that is here.
    package func figures(head: Position) -> [Member] {
        switch self {
        case .replica(let replica): ClusterState.distance(of: head, to: replica.source)
        case .node(let node):
            (node.leader.map { [Member("term", .count(UInt64(clamping: $0.term)))] } ?? [])
                + [Member("stored", .count(node.stored.value))] + ClusterState.distance(of: head, to: node.position)
        }
    }

    private static func distance(of head: Position, to end: Position) -> [Member] {
        [
            Member("position", .count(end.value)), Member("lag", .count(end.value - min(head, end).value)),
        ]
    }
}
