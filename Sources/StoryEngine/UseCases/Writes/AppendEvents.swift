import StoryCore
import StoryFold

/// `APPEND`: the users' own events in the users' own streams, all of them or none.
enum AppendEvents {
    /// Returns the outcome of an append.
    ///
    /// - Throws: the error of the read.
    static func attempt(
        _ stream: StreamName, _ proposals: [EventProposal], _ options: WriteOptions, in world: World
    ) throws(StorageError) -> WriteOutcome {
        guard !proposals.isEmpty else {
            return .refused(.invalid("events", .empty, "there must be at least one event to append"))
        }
        let head = try world.headToExtend(stream)
        if let failure = Failure.conflict(options.version, stream, head) { return .refused(failure) }
        return .appends(NewEvents(id: nil, stream: stream, head: head, events: proposals, key: options.key))
    }
}
