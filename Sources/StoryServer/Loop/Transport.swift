package import StoryReactor

/// What the loop asks of whoever holds the sockets.
package protocol Transport: AnyObject {
    /// Sends bytes, or keeps them until the peer takes them; true when nothing was kept.
    @discardableResult
    func send(_ id: ConnectionID, _ bytes: [UInt8]) -> Bool
    /// How many bytes wait for the peer to take them; 0 for a connection that is gone.
    func unsentCount(_ id: ConnectionID) -> Int
    /// How many bytes are read of a peer at a time at most; nil: as many as there are.
    var mostRead: Int? { get set }
    /// Leaves what the peer sends where it is until `resumeReading`.
    func pauseReading(_ id: ConnectionID)
    func resumeReading(_ id: ConnectionID)
    /// Sends what waits, then closes.
    ///
    /// - Parameter lingers: false where a peer that has sent nothing more is not waited for.
    func finish(_ id: ConnectionID, lingers: Bool)
    /// Makes the next turn come at once: there is work left for it.
    func requestTurn()
    /// Makes the next turn end no later than so many nanoseconds from now, whatever was asked for before.
    func requestTurn(within nanoseconds: UInt64)
    /// Takes no new connections.
    func stopListening()
    /// Closes everything; the loop ends.
    func stop()
}

extension Reactor: Transport {}
