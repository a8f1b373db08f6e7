import StoryCluster

/// The end of a call that was not carried out, as far as etcd says so.
///
/// etcd names its errors by their texts, which are the same in all versions; a code alone has several meanings.
enum CallEnd: Equatable {
    case refused(EngineRefusal)
    case full
    /// Anything else: an error is no statement about the call.
    case unknown

    /// Reads the status of a call.
    init(_ status: GRPCStatus) {
        self = status.isHTTP && status.code != nil ? CallEnd(message: status.message) : .unknown
    }

    /// Reads the reason of a cancelled watch, or the message of a status.
    init(message: String) {
        let description = message.split(separator: " desc = ", maxSplits: 1).last.map(String.init) ?? message
        switch description {
        case "etcdserver: mvcc: database space exceeded": self = .full
        case "etcdserver: request is too large": self = .refused(.tooLarge)
        case "etcdserver: permission denied",
            "etcdserver: authentication failed, invalid user ID or password":
            self = .refused(.denied)
        case "etcdserver: invalid auth token", "etcdserver: user name is empty",
            "etcdserver: revision of auth store is old":
            self = .refused(.tokenExpired)
        case "etcdserver: requested lease not found": self = .refused(.noLease)
        case "etcdserver: mvcc: required revision has been compacted": self = .refused(.compacted)
        case "etcdserver: mvcc: required revision is a future revision", "etcdserver: key is not provided",
            "etcdserver: too many operations in txn request", "etcdserver: duplicate key given in txn request",
            "etcdserver: too large lease TTL", CallEnd.notEnabled:
            self = .refused(.other(description))
        // gRPC refuses a request before etcd sees it.
        case let text where text.hasPrefix("grpc: received message larger than max"): self = .refused(.tooLarge)
        default: self = .unknown
        }
    }

    /// The text of the refusal to give a token where nobody needs one.
    static let notEnabled = "etcdserver: authentication is not enabled"

    /// The answer to the call; a token that expired counts as one that was renewed in vain.
    var answer: EngineAnswer {
        switch self {
        case .refused(let refusal): .refused(refusal)
        case .full: .full
        case .unknown: .unknown
        }
    }

    /// The end of a watch.
    var watchEnd: EngineWatchEnd {
        switch self {
        case .refused(.compacted): .compacted
        case .refused(let refusal): .refused(refusal)
        case .full, .unknown: .broken
        }
    }
}
