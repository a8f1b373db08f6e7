package import StoryCore

/// The action for the shell of a node.
package enum ClusterAction: Equatable, Sendable {
    /// Send a call to an endpoint, and tell its answer: `.unknown` where none came in time.
    case call(CallID, OrderingCall, endpoint: Int)
    /// Watch keys from a revision on.
    case watch(WatchID, OrderingRange, from: Int64, endpoint: Int)
    case endWatch(WatchID)
    /// Append an entry of the log behind the head and fold it; call `taken` or `notTaken`.
    case take(Entry)
    /// Compare an entry with what the log has there; call `notTaken` where they differ.
    case compare(Entry)
    /// The entry that was written has ended.
    case writeEnded(WriteEnd)
    /// This node leads: writes are accepted from now on.
    case leadingBegan(Term)
    /// This node leads no more; events that are not acknowledged are undone already.
    case leadingEnded
    /// Another node leads, or none does.
    case leaderIs(Leader?)
    /// Fetch the events behind the head, through a position, from the node at an address. Call `seedEnded`.
    case seed(from: String, through: Position)
    /// The ordering service refuses what a node has to do, for a reason. It is asked again.
    case etcdRefuses(String)
    /// The ordering service has an earlier state than it had.
    case etcdSetBack(OrderingSetBack)
    /// No other node has stored the events through a position.
    case seedIsMissing(Position)
    /// Another node is to lead: take no more writes, and call `handOverReady` once those that were decided have ended.
    case handOverWanted
    /// A change of the nodes that was asked for has ended.
    case changeEnded(UInt64, NodeChangeEnd)
    /// This node has handed over and ended: the process may end.
    case drained
    /// End the process.
    case stop(ClusterError)
}

/// The revisions of an ordering service that has an earlier state than it had, such as one that was restored from a
/// copy.
package struct OrderingSetBack: Equatable, Sendable {
    /// The highest revision that it had before, and the one that it was found at.
    package let (from, to): (Int64, Int64)

    /// Notes both.
    package init(from: Int64, to: Int64) { (self.from, self.to) = (from, to) }
}

/// A watch.
package enum WatchID: Hashable, Sendable {
    /// Of everything that a follower needs.
    case live
    /// Of the leader's key, by the leader.
    case leader
    /// Of the keys of nodes and wishes, by the leader.
    case nodes
}

/// The end of an entry that this node wrote.
package enum WriteEnd: Equatable, Sendable {
    case committed
    /// The ordering service is full; nothing was written, and this node goes on to lead.
    case full
    /// The ordering service refuses the entry for a reason; nothing was written, and this node goes on to lead.
    case refused(String)
    /// Another node leads; nothing was written, nor will be.
    case superseded
    /// It is unknown whether the entry is in the log or will be.
    case unknown
}

/// The end of a change of the nodes.
package enum NodeChangeEnd: Equatable, Sendable {
    /// The node leads.
    case leads(Term)
    case removed
    /// This node has not joined the log yet.
    case notJoined
    /// The log has no such node.
    case noNode(known: [String])
    /// The node has not all events of the log.
    case behind(Position)
    /// The node did not report for some time.
    case silent
    /// A node that leads cannot be removed.
    case isLeading
    /// Another node began to lead meanwhile; nothing was changed.
    case led(by: String?)
    /// The ordering service refuses the change.
    case refused(String)
    /// It did not come true in time, and may come true later.
    case late
}
