package import StoryCluster

/// A result of a session.
package enum EtcdResult: Equatable, Sendable {
    /// The only answer to a call.
    case answered(CallID, EngineAnswer)
    case watched(CallID, EngineWatchBatch)
    /// The end of a watch that was not ended by the program.
    case watchEnded(CallID, EngineWatchEnd)
    /// The connection cannot be used any more; the last result of a session.
    case connectionFailed(EtcdFailure)
}

/// The reason why a connection ended.
package enum EtcdFailure: Equatable, Sendable {
    /// The peer closed it, or it broke.
    case closed
    /// The peer said that it ends it, or broke the protocol; the sentence says which.
    case protocolEnded(String)
}
