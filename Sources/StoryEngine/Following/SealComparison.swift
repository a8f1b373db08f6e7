package import StoryCore

/// The comparison of the seals of two stores at one position.
package struct SealComparison: Equatable, Sendable {
    /// The position.
    package let position: Position
    private var theirs: String?
    private var ours: String?

    /// Begins without either seal.
    package init(at position: Position) { self.position = position }

    /// Takes the seal of the source; one at another position is ignored.
    mutating func told(_ seal: String, at position: Position) { if position == self.position { theirs = seal } }

    /// Takes the own seal; one at another position is ignored.
    mutating func computed(_ seal: String, at position: Position) { if position == self.position { ours = seal } }

    /// True where both are equal; nil until both are there.
    var isEqual: Bool? {
        guard let theirs, let ours else { return nil }
        return theirs == ours
    }
}

/// The questions of a replica for the position of its source: one at a time, each for all requests that came before it.
package struct SourceQuestions: Equatable, Sendable {
    /// The number of the question that was sent last.
    private var last: UInt64 = 0
    /// True while that one has no answer.
    private var isAsked = false
    /// True where one more has to be sent.
    private var isWanted = false

    /// Wants the position of the source from now on.
    ///
    /// - Returns: the number of the question that tells it, and whether it is to be sent now.
    mutating func wanted(isOpen: Bool) -> (question: UInt64, isAsked: Bool) {
        guard isOpen, !isAsked else {
            isWanted = true
            return (last + 1, false)
        }
        return (next(), true)
    }

    /// Takes the answer to a question; returns the next one that is to be sent.
    mutating func answered(_ question: UInt64) -> UInt64? {
        guard isAsked, question == last else { return nil }
        isAsked = false
        return isWanted ? next() : nil
    }

    /// Notes that the source can be asked; returns the question that is to be sent.
    mutating func connected() -> UInt64? { isWanted && !isAsked ? next() : nil }

    /// Forgets the question without an answer; a later one replaces it.
    mutating func connectionEnded() {
        if isAsked { isWanted = true }
        isAsked = false
    }

    private mutating func next() -> UInt64 {
        (isAsked, isWanted) = (true, false)
        last += 1
        return last
    }
}

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
