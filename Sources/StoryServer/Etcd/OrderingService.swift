package import StoryCluster
package import StoryReactor

/// The service that orders the entries of a log, as the loop uses it.
///
/// Each call has one answer, `.unknown` where none came in time. Nothing is reported within a method: answers, changes and
/// ends come with later input of the loop.
package protocol OrderingService: AnyObject {
    /// The part of the loop that gets answers and changes.
    var receiver: (any OrderingReceiver)? { get set }
    /// Makes a call at an endpoint, numbered from 0.
    func call(_ id: CallID, _ call: OrderingCall, endpoint: Int)
    /// Watches a range of keys from a revision on.
    func watch(_ id: WatchID, _ range: OrderingRange, from revision: Int64, endpoint: Int)
    /// Ends a watch, which tells nothing more.
    func endWatch(_ id: WatchID)
    /// Takes no changes of watches until `resumeWatches`, since this node cannot fold them yet.
    func pauseWatches()
    /// Takes the changes of watches again.
    func resumeWatches()
    /// Gives up calls whose deadline has passed, and connects where that is wanted; called every 0.1 s.
    ///
    /// - Parameter now: monotonic time in nanoseconds.
    func ticked(at now: UInt64)
    /// Closes all connections, and tells nothing more.
    func end()

    /// Returns true for a connection to etcd.
    func owns(_ id: ConnectionID) -> Bool
    /// Notes that a connection is made.
    func connected(_ id: ConnectionID)
    /// Takes bytes of etcd.
    func bytesReceived(_ id: ConnectionID, _ bytes: UnsafeRawBufferPointer)
    /// Notes that etcd sends no more, or that its connection is gone or was not made.
    func closed(_ id: ConnectionID)
    /// Tells answers that wait for nothing; called before the turn's commit.
    func turnEnded()
}

/// An ordering service without connections of its own tells its answers by itself.
extension OrderingService {
    package func owns(_ id: ConnectionID) -> Bool { false }
    package func connected(_ id: ConnectionID) {}
    package func bytesReceived(_ id: ConnectionID, _ bytes: UnsafeRawBufferPointer) {}
    package func closed(_ id: ConnectionID) {}
    package func turnEnded() {}
}

/// The part of the loop that gets etcd's answers.
package protocol OrderingReceiver: AnyObject {
    /// Takes the only answer to a call.
    func answered(_ id: CallID, _ answer: OrderingAnswer)
    /// Takes changes of the keys of a watch, in the order of their revisions.
    func watched(_ id: WatchID, _ batch: OrderingWatchBatch)
    /// Takes the end of a watch, which `endWatch` did not ask for.
    func watchEnded(_ id: WatchID, _ end: OrderingWatchEnd)
}
