package import StoryNetwork
import StoryStorage

/// Clients that could not be accepted.
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
}
