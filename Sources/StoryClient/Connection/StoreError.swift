/// Why talking to a store failed; a refusal of the store's is not one of these, but a `StoreReply`.
public enum StoreError: Error, Hashable, Sendable {
    /// Nobody answers at the path.
    case cannotConnect(path: String, reason: String)
    /// The store takes nobody now, or not this peer, and said why.
    case refused(Refusal)
    /// The store hung up because it stops. What a request without an answer did is unknown.
    case draining
    /// The store hung up. What a request without an answer did is unknown: a write with a key can be sent again.
    case closed
    /// The store did not answer in time. What the request did is unknown.
    case timedOut
    /// The wait was interrupted from outside, through `StoreConnection.interruption`.
    case interrupted
    /// The other end does not speak this protocol; the line that shows it.
    case protocolViolation(String)
    /// The input that requests are made of cannot be read; those that were made before are answered.
    case unreadableInput(reason: String)
    /// The system refused a call on the connection.
    case system(call: String, reason: String)
}

extension StoreError: CustomStringConvertible {
    /// One sentence, with what to do next.
    public var description: String {
        switch self {
        case .cannotConnect(let path, let reason):
            "cannot connect to \(path): \(reason); is stored running, is that its socket, and may you use it? "
                + "--socket or STORED_SOCKET says where it listens"
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
