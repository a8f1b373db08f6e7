package import StoryReactor

/// The sockets, as the loop uses them.
package protocol Transport: AnyObject {
    /// Sends bytes, or keeps those that the kernel does not take; returns true when none were kept.
    @discardableResult
    func send(_ id: ConnectionID, _ bytes: UnsafeRawBufferPointer) -> Bool
    /// Returns the bytes that wait for the peer to read them; 0 for a closed connection.
    func unsentCount(_ id: ConnectionID) -> Int
    /// The maximum number of bytes to read from a peer at a time; nil for no maximum.
    var mostRead: Int? { get set }
    /// Leaves the peer's bytes in the socket until `resumeReading`.
    func pauseReading(_ id: ConnectionID)
    /// Reads from the peer again.
    func resumeReading(_ id: ConnectionID)
    /// Sends the waiting bytes, then closes the connection.
    ///
    /// - Parameter lingers: false to close without waiting for the peer, where it has sent nothing more.
    func finish(_ id: ConnectionID, lingers: Bool)
    /// Waits no longer for peers that have sent nothing more, of connections that are finished already.
    func endLingering()
    /// Begins another turn at once, since there is work left.
    func requestTurn()
    /// Ends the next turn within the given number of nanoseconds, whatever was requested before.
    func requestTurn(within nanoseconds: UInt64)
    /// Connects to a Unix socket without waiting, as a client.
    ///
    /// - Throws: where nobody accepts the connection now.
    func connect(to path: String) throws(ReactorError) -> ConnectionID
    /// Begins to connect to a TCP port, and returns at once: the reactor's `connectionMade` or `connectionClosed` reports
    /// the outcome.
    ///
    /// - Throws: where the loop has no room for a connection.
    func connect(host: String, port: UInt16) throws(ReactorError) -> ConnectionID
    /// Returns the reason why a connection was not made; nil but within its `connectionClosed`.
    func connectFailure(_ id: ConnectionID) -> String?
    /// Closes a connection at once; its unsent bytes are lost.
    func close(_ id: ConnectionID)
    /// Accepts no new connections.
    func stopListening()
    /// Closes everything and ends the loop.
    func stop()
}

extension Reactor: Transport {}
