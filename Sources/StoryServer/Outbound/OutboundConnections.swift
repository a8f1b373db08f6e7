import StoryNetwork
import StoryReactor
import StoryStorage

/// The connections that the daemon makes itself: a replica's to its source, a node's to etcd, to a node that it gets
/// events from, and to the node that leads.
struct OutboundConnections {
    let follower: Follower?
    let ordering: (any OrderingService)?
    let forwarding: Forwarding?

    /// Notes that a connection is made.
    func made(_ id: ConnectionID) {
        if let follower, follower.owns(id) { return follower.connected() }
        if let forwarding, forwarding.owns(id) { return forwarding.connected() }
        if let ordering, ordering.owns(id) { ordering.connected(id) }
    }

    /// Takes bytes of the other side.
    func received(_ id: ConnectionID, _ bytes: UnsafeRawBufferPointer) {
        if let follower, follower.owns(id) { return follower.bytesReceived(bytes) }
        if let forwarding, forwarding.owns(id) { return forwarding.bytesReceived(bytes) }
        if let ordering, ordering.owns(id) { ordering.bytesReceived(id, bytes) }
    }

    /// Notes that the other side sends no more, or that the connection is gone or was not made.
    func closed(_ id: ConnectionID) {
        if let follower, follower.owns(id) { return follower.closed() }
        if let forwarding, forwarding.owns(id) { return forwarding.closed() }
        if let ordering, ordering.owns(id) { ordering.closed(id) }
    }
}

/// The ports and settings of the links that the daemon has to other stores.
struct LinkPorts {
    let transport: any Transport
    /// The own certificate, and the authority of the others; nil where there are none.
    let certificates: TLSFiles?
    /// How long an answer is waited for, in ticks of 0.1 s.
    let patience: UInt64
    let clock: Clock
    let trace: Trace
}
