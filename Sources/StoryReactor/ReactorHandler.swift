package import StoryNetwork

/// The callbacks of a reactor to its owner, always on the reactor's thread and never from inside a call into the
/// reactor.
///
/// Every one of these calls is followed by `turnEnded` before the reactor waits again, so work can be collected and
/// done there once.
package protocol ReactorHandler: AnyObject {
    /// Reports a client that has connected; bytes may be sent to it at once.
    func connectionOpened(_ id: ConnectionID, peer: PeerCredentials)

    /// Reports that a connection of `connect(host:port:)` is ready: bytes may be sent, and it is served like that of a
    /// client. One that is refused, takes too long or is given up is reported by `connectionClosed` alone, within which
    /// `connectFailure` has the reason.
    func connectionMade(_ id: ConnectionID)

    /// Reports that the system has no descriptor or no memory for a client, which waits until there is one; once for
    /// the whole shortage.
    func clientNotAccepted(errno: Int32)

    /// Reports a client of another machine, HOST:PORT, whose TLS failed, in the handshake or later.
    func securityFailed(from address: String, _ error: TLSError)

    /// Reports a connection whose peer would not be accepted any more: its certificate has expired, or its authority is
    /// not the present one. The handler ends it; until then it is reported in each tick.
    func certificateEnded(_ id: ConnectionID, _ error: TLSError)

    /// Reports a peer of another machine, HOST:PORT, that was not let in since its handshake took too long, or other
    /// peers had all slots.
    func handshakeGivenUp(from address: String)

    /// Delivers bytes that have arrived; they are valid until it returns.
    func bytesReceived(_ id: ConnectionID, _ bytes: UnsafeRawBufferPointer)

    /// Reports that the peer sends no more; it may still be reading.
    func peerClosed(_ id: ConnectionID)

    /// Reports that a connection is gone, whatever the reason; once for every one that was opened or made.
    func connectionClosed(_ id: ConnectionID)

    /// Reports that the queue of a connection is empty again: everything passed to `send` has left the process.
    func outputDrained(_ id: ConnectionID)

    /// Ends a turn, after all callbacks of one poll: the moment to commit and to send.
    func turnEnded()

    /// Reports SIGTERM, SIGINT or SIGHUP.
    func signalReceived(_ signal: Int32)

    /// Runs the owner's housekeeping, ten times a second.
    func timerFired()

    /// Reports that another thread called `wake()`, once or several times.
    func woken()
}

extension ReactorHandler {
    /// Does nothing, for an owner that makes no TCP connections.
    package func connectionMade(_ id: ConnectionID) {}
    /// Does nothing, as is right for a handler without clients of other machines.
    package func securityFailed(from address: String, _ error: TLSError) {}
    /// Does nothing, as is right for a handler without clients of other machines.
    package func certificateEnded(_ id: ConnectionID, _ error: TLSError) {}
    /// Does nothing, as is right for a handler without clients of other machines.
    package func handshakeGivenUp(from address: String) {}
}
