package import StoryCore

/// The reason why a replica must end.
package enum FollowingFault: Error, Equatable, Sendable {
    /// The source has another history.
    case otherHistory(String, theirs: LogID, ours: LogID)
    /// The source lacks events that are here.
    case sourceBehind(String, source: Position, here: Position)
    /// The seals of both differ at a position, so some event up to it does.
    case sealsDiffer(String, at: Position)
    /// The source sent records that cannot follow those that are here.
    case recordsDiffer(String, StorageError)
}

extension FollowingFault: CustomStringConvertible {
    /// True where both are of one history and differ all the same.
    package var isDivergence: Bool {
        switch self {
        case .otherHistory: false
        case .sourceBehind, .sealsDiffer, .recordsDiffer: true
        }
    }

    /// One sentence for a person, with the next step.
    package var description: String {
        switch self {
        case .otherHistory(let address, let theirs, let ours):
            "this directory is a replica of the history \(ours), and the store at \(address) has the history \(theirs): "
                + "follow another store, or name a new directory"
        case .sourceBehind(let address, let source, let here):
            "diverged: the store at \(address) ends at \(source.value), and this replica at \(here.value): the source has lost "
                + "events; keep this directory, it has them"
        case .sealsDiffer(let address, let position):
            "diverged: the store at \(address) has another seal at position \(position.value): an event up to there differs; "
                + "verify both, and replace the one that is wrong"
        case .recordsDiffer(let address, let error):
            "diverged: the store at \(address) sent records that cannot follow: \(error)"
        }
    }
}
