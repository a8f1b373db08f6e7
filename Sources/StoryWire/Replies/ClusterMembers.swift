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

    /// The further members in `STATS`; without the end of the log and the distance from it while they are not known.
    ///
    /// - Parameter head: the last event that is here.
    package func figures(head: Position) -> [Member] {
        var members: [Member] = []
        if case .node(let node) = self {
            if let leader = node.leader { members.append(Member("term", .count(UInt64(clamping: leader.term)))) }
            members.append(Member("stored", .count(node.stored.value)))
        }
        if let end = link.end, let lag = lag(behind: head) {
            members += [Member("position", .count(end.value)), Member("lag", .count(lag))]
        }
        return members + [Member("silence", .number(link.silenceSeconds))]
    }
}
