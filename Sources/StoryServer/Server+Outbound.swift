package import StoryReactor

/// The connections that the daemon makes itself: a replica's to its source, a node's to its engine.
extension Server {
    /// Notes that a connection is made.
    package func connectionMade(_ id: ConnectionID) {
        slow.turnGoesOn()
        if let engine = cluster?.engine, engine.owns(id) { engine.connected(id) }
    }

    func outboundReceived(_ id: ConnectionID, _ bytes: UnsafeRawBufferPointer) {
        if let follower, follower.owns(id) {
            follower.bytesReceived(bytes)
        } else if let engine = cluster?.engine, engine.owns(id) {
            engine.bytesReceived(id, bytes)
        }
        definitionsMayHaveCome()
    }

    func outboundClosed(_ id: ConnectionID) {
        if let follower, follower.owns(id) { return follower.closed() }
        if let engine = cluster?.engine, engine.owns(id) { engine.closed(id) }
    }
}
