import StoryCore

/// The use of a link to a source, and its end.
extension Follower {
    /// The purpose of the link.
    enum Purpose {
        /// The source of a replica is followed for good; the positions that questions asked for are passed on.
        case replica(answered: (_ question: UInt64, _ position: Position) -> Void)
        /// A node gets the events through a position, over one connection.
        case seed(through: Position, ended: (SeedEnd) -> Void)
    }

    /// The end of a seed.
    enum SeedEnd: Equatable {
        /// The events are here.
        case complete
        /// The source did not send all of them.
        case lost(String)
        /// Source and node have other events at a position that both have.
        case diverged(String)
    }
}
