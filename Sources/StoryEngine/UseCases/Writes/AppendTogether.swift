import StoryCore
import StoryFold

/// `APPEND *`: the users' own events in several of their own streams, all of them or none.
enum AppendTogether {
    /// Returns the outcome of an append to several streams.
    ///
    /// - Throws: the error of the read.
    static func attempt(
        _ proposals: [StreamProposal], _ options: WriteOptions, in world: World
    ) throws(StorageError) -> WriteOutcome {
        guard !proposals.isEmpty else {
            return .refused(.invalid("events", .empty, "there must be at least one event to append"))
        }
        var targets: [JointEvents.Target] = []
        var versions: [Version] = []
        var indexes: [StreamName: Int] = [:]
        var aims: [Int] = []
        // Checked last, after everything else that a write is refused for: the first condition that does not hold.
        var conflict: Failure?
        for proposal in proposals {
            let index = indexes[proposal.stream] ?? targets.count
            if index == targets.count {
                let head = try world.headToExtend(proposal.stream)
                indexes[proposal.stream] = index
                targets.append(JointEvents.Target(stream: proposal.stream, head: head))
                versions.append(head?.version ?? .zero)
            }
            if conflict == nil, let expected = proposal.version, expected != versions[index] {
                conflict = .conflict(proposal.stream, expected: expected, actual: versions[index], isNamed: true)
            }
            versions[index] = versions[index].next
            aims.append(index)
        }
        if let conflict { return .refused(conflict) }
        return .appendsTogether(
            JointEvents(targets: targets, events: proposals.map(\.event), aims: aims, key: options.key))
    }
}
