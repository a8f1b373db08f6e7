import StoryCluster
import StoryCore

/// The effects of the parts of the loop on one another, in the order in which they arose.
///
/// A part adds a value and knows nobody who is concerned by it. The server carries the effects out, in one switch, before
/// lines of another connection are handled.
final class Effects {
    private var queue = FIFO<Effect>()

    /// Adds an effect.
    func add(_ effect: Effect) { queue.append(effect) }

    /// Takes out the next effect; nil where there is none.
    func next() -> Effect? { queue.next() }
}

/// An effect of one part of the loop on others.
enum Effect {
    /// Events were undone: the definitions of models are those that the log has now.
    case rolledBack
    /// The events after a position were undone, and their writes fail.
    case undone(after: Position, Failure)
    /// New built-in models are served, which lack the events after their checkpoint.
    case modelsReplaced
    /// The events of a turn are an entry for the ordering service.
    case entryReady(EntryHead, [UInt8])
    /// The own journal has the events through a position.
    case stored(through: Position)
    /// This node begins to take writes, or ends to.
    case takesWrites(Bool)
    /// The source of a replica, or the ordering service of a node, told the position that a question asked for.
    case positionAnswered(question: UInt64, Position)
    /// A change of the nodes that a client asked for has ended.
    case changeEnded(id: UInt64, NodeChangeEnd)
    /// The link over which a node got events that the ordering service no longer has is at its end.
    case seedEnded(SeedEnd)
    /// A write that was passed on has its answer.
    case passedOnEnded(ForwardedWrite, ForwardedAnswer)
    /// There is room again for writes that are passed on.
    case passingOnHasRoom([Connection])
    /// The process that led in a term is gone.
    case leaderIsGone(Term)
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
