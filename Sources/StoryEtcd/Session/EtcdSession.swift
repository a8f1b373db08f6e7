package import StoryCluster

/// A connection to a member of etcd, as bytes in and bytes out. It has no socket and no clock.
///
/// Each call gets one answer. It is a refusal only where etcd says that it did nothing; an error, a reset, the end of the
/// connection and `cancel` leave it `.unknown`. A user's token is asked for before the first request, and again where
/// etcd does not know it any more, or denies a request: the password and the rights may be others by now. The request
/// that found that out is sent once more.
package final class EtcdSession {
    /// The number of bytes that a message from etcd may have.
    package static let mostMessage = 8 << 20

    let peer: EtcdPeer
    /// Returns the user with the present password, which is asked for whenever a token is.
    let user: () -> EtcdUser?
    let connection = HTTP2Connection()
    /// The requests by their numbers.
    var pending: [CallID: PendingRequest] = [:]
    /// The request of each stream but those that are named below.
    var requests: [Int32: CallID] = [:]
    var token: TokenState
    /// The stream of all renewals, and those that wait for their replies, in their order.
    var renewals: (stream: Int32, waiting: [CallID])?
    private var results: [EtcdResult] = []
    private var output: [UInt8] = []
    /// True once the connection cannot be used any more.
    package private(set) var hasEnded = false

    /// Creates the session of a connection that was just made.
    ///
    /// - Parameter user: returns the peer's user with the present password; nil: the peer's user has one for good.
    package init(_ peer: EtcdPeer, user: (() -> EtcdUser?)? = nil) {
        self.peer = peer
        self.user = user ?? { peer.user }
        token = peer.user == nil ? .unneeded : .missing
    }

    // MARK: Requests

    /// Makes a call, with a number that no other request has.
    package func call(_ id: CallID, _ call: OrderingCall) { begin(id, PendingRequest(.call(call))) }

    /// Gives up a call that is not answered: its answer is `.unknown`, at once.
    package func cancel(_ id: CallID) {
        guard case .call? = pending[id]?.kind else { return }
        end(id, .unknown)
    }

    /// Begins a watch, with a number that no other request has.
    package func watch(_ id: CallID, _ watch: OrderingWatch) { begin(id, PendingRequest(.watch(watch))) }

    /// Ends a watch; it has no further result.
    package func endWatch(_ id: CallID) {
        guard case .watch? = pending[id]?.kind else { return }
        drop(id)
    }

    /// Stops taking a watch's changes: etcd sends no more than the window of its stream, and keeps the others.
    package func pauseWatch(_ id: CallID) {
        guard case .watch? = pending[id]?.kind else { return }
        pending[id]?.isPaused = true
        if let stream = pending[id]?.stream { connection.streams.pause(stream) }
    }

    /// Takes a watch's changes again.
    package func resumeWatch(_ id: CallID) {
        guard pending[id]?.isPaused == true else { return }
        pending[id]?.isPaused = false
        guard let stream = pending[id]?.stream else { return }
        connection.resume(stream)
        readWatch(id, stream)
    }

    // MARK: Bytes

    /// Takes bytes that came from the peer.
    package func received(_ bytes: UnsafeRawBufferPointer) {
        guard !hasEnded else { return }
        connection.received(bytes)
        connection.takeOutput(into: &output)
        takeEvents()
    }

    /// Ends the session, because the peer closed the connection or it broke.
    package func peerClosed() { fail(.closed) }

    /// Returns the bytes that are to be sent now; more may follow when bytes come.
    package func takeOutput() -> [UInt8] {
        defer { output = [] }
        connection.takeOutput(into: &output)
        takeEvents()
        return output
    }

    /// Returns the results since the last call; those of one request are in the order in which they came.
    package func takeResults() -> [EtcdResult] {
        defer { results = [] }
        return results
    }

    // MARK: Ends

    func say(_ result: EtcdResult) { results.append(result) }

    /// Ends a request, and says how.
    func end(_ id: CallID, _ end: CallEnd) {
        guard let request = pending[id] else { return }
        drop(id)
        say(request.result(id, end))
    }

    /// Ends everything, in the order of the numbers.
    func fail(_ failure: EtcdFailure) {
        guard !hasEnded else { return }
        hasEnded = true
        let ended = pending.sorted { $0.key.number < $1.key.number }
        pending = [:]
        for (id, request) in ended { say(request.result(id, .unknown)) }
        say(.connectionFailed(failure))
    }
}
