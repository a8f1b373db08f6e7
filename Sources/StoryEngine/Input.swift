package import StoryCore

/// What happened to the engine.
package enum Input: Equatable, Sendable {
    case connected(SessionID, Peer)
    case requested(SessionID, Request)
    case disconnected(SessionID)
    /// What the subscription wants next cannot be read.
    case followingFailed(SessionID, SubscriptionID, reason: EndReason)
    /// What was folded since the last commit is undone; the log and the models are as they were before.
    case rolledBack
    /// The storage takes no writes: each is answered with this failure.
    case writesRefused(Failure)
    /// The storage takes writes again.
    case writesAllowed
    /// The program is asked to end.
    case drainRequested
}
