/// A failure to communicate with a store; a refusal of a request is not one of these, but a `StoreReply`.
public enum StoreError: Error, Hashable, Sendable {
    /// The connection to the path could not be made.
    case cannotConnect(path: String, reason: String)
    /// TLS with the store failed: a file of the identity cannot be used, or one side does not accept the other.
    case insecure(path: String, reason: String)
    /// The store accepts no connections now, or not this peer; the refusal has the reason.
    case refused(Refusal)
    /// The store closed the connection because it stops. It is unknown whether a request without a reply was carried
    /// out.
    case draining
    /// The store closed the connection. It is unknown whether a request without a reply was carried out: a write with a
    /// key can be sent again.
    case closed
    /// The store did not reply in time. It is unknown whether the request was carried out.
    case timedOut
    /// The wait was interrupted from outside, through `StoreConnection.interruption`.
    case interrupted
    /// The other end does not speak this protocol; the value is the line that shows it.
    case protocolViolation(String)
    /// The input of requests cannot be read; the requests before the failure have their replies.
    case unreadableInput(reason: String)
    /// The system refused a call on the connection.
    case system(call: String, reason: String)
}

extension StoreError: CustomStringConvertible {
    /// One sentence, with the next step.
    public var description: String {
        switch self {
        case .cannotConnect(let path, let reason):
            "cannot connect to \(path): \(reason); "
                + (StoreEndpoint.advice(on: path)
                    ?? "is stored running, is that its socket, and may you use it? --socket or STORED_SOCKET says where "
                    + "it listens")
        case .insecure(let path, let reason): "no safe connection to \(path): \(reason)"
        case .refused(let refusal): "\(refusal.code.rawValue): \(refusal.message)"
        case .draining: "the store is stopping; connect again in a moment"
        case .closed: "the server closed the connection; check its log and try again"
        case .timedOut: "the store did not answer in time; whether the request was carried out is unknown"
        case .interrupted: "interrupted"
        case .protocolViolation(let line): "this is not the store's protocol: \(line); is it stored that listens there?"
        case .unreadableInput(let reason): "standard input cannot be read: \(reason)"
        case .system(let call, let reason): "\(call) failed on the connection: \(reason); connect again"
        }
    }
}
