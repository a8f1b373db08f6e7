/// What a reactor tells its owner, always on the reactor's thread and never from inside a call into the reactor.
///
/// Every one of these calls is followed by `turnEnded` before the reactor waits again, so what they leave to do can
/// be gathered and done there once.
package protocol ReactorHandler: AnyObject {
    /// A client connected; it may be sent to at once.
    func connectionOpened(_ id: ConnectionID, peer: PeerCredentials)

    /// The system has no descriptor or no memory for a client, who waits until it has; told once for all of that time.
    func clientNotAccepted(errno: Int32)

    /// Bytes arrived; they are valid only during the call.
    func bytesReceived(_ id: ConnectionID, _ bytes: UnsafeRawBufferPointer)

    /// The peer will send no more; it may still be reading.
    func peerClosed(_ id: ConnectionID)

    /// The connection is gone for good, whatever the reason; told once for every one that was opened.
    func connectionClosed(_ id: ConnectionID)

    /// Everything that was handed to `send` has left the process, after a time when some of it had not.
    func outputDrained(_ id: ConnectionID)

    /// Everything that one poll brought has been told: the place to commit and to send.
    func turnEnded()

    /// SIGTERM, SIGINT or SIGHUP arrived.
    func signalReceived(_ signal: Int32)

    /// The housekeeping timer: ten times a second.
    func timerFired()

    /// Another thread called `wake()`, once or several times.
    func woken()
}
