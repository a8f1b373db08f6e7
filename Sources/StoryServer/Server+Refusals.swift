import StoryCore
package import StoryNetwork
package import StoryReactor
import StoryStorage

/// The clients that do not get in, or may not stay.
extension Server {
    /// Traces that the system lacks the resources to accept a client.
    package func clientNotAccepted(errno: Int32) {
        dependency.figures.set(.notAccepting, true)
        dependency.trace.sayEachSecond("not-accepting", ["reason": SystemError.text(errno), "then": "clients wait"])
    }

    /// Traces a client of another machine whose TLS failed.
    package func securityFailed(from address: String, _ error: TLSError) {
        slow.turnGoesOn()
        dependency.figures.refusals[.insecure, default: 0] += 1
        dependency.trace.sayEachSecond("insecure", ["from": address, "reason": "\(error)"])
    }

    /// Ends a connection whose certificate is accepted no more.
    package func certificateEnded(_ id: ConnectionID, _ error: TLSError) {
        guard let connection = connections[id], !connection.isEnding else { return }
        work.clientRequests.endCertificate(of: connection, error)
    }

    /// Traces a peer of another machine that was not let in.
    package func handshakeGivenUp(from address: String) {
        dependency.figures.refusals[.silent, default: 0] += 1
        dependency.trace.sayEachSecond("silent", ["from": address, "reason": "its handshake did not end in time"])
    }
}
