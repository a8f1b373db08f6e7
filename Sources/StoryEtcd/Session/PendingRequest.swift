import StoryCluster

/// A call that is not answered, or a watch that has not ended.
struct PendingRequest {
    /// The request.
    enum Kind {
        case call(OrderingCall)
        case watch(OrderingWatch)
    }

    let kind: Kind
    /// The stream; nil where the request waits for a token.
    var stream: Int32?
    /// The token that it was sent with.
    var token: String?
    /// True once it was sent again, because its token had expired.
    var isRepeated = false
    /// The reply to a call, whose trailers have not come.
    var reply: OrderingAnswer?
    /// True for a watch whose changes are not wanted now.
    var isPaused = false

    init(_ kind: Kind) { self.kind = kind }

    /// The method.
    var method: EtcdMethod {
        switch kind {
        case .call(let call): call.method
        case .watch: .watch
        }
    }

    /// The message.
    var message: [UInt8] {
        switch kind {
        case .call(let call): EtcdRequest.call(call)
        case .watch(let watch): EtcdRequest.watch(watch)
        }
    }

    /// Returns the result of the request's end.
    func result(_ id: CallID, _ end: CallEnd) -> EtcdResult {
        switch kind {
        case .call: .answered(id, end.answer)
        case .watch: .watchEnded(id, end.watchEnd)
        }
    }
}

/// The token that requests are sent with.
enum TokenState: Equatable {
    /// There is no user, or etcd asks for none.
    case unneeded
    /// The next request asks for one first.
    case missing
    /// It was asked for on a stream; these requests wait, in their order.
    case asked(stream: Int32, waiting: [CallID])
    case known(String)
}

/// The end of a call that was not carried out, as far as etcd says so.
///
/// etcd names its errors by their texts, which are the same in all versions; a code alone has several meanings.
enum CallEnd: Equatable {
    case refused(OrderingRefusal)
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
    var answer: OrderingAnswer {
        switch self {
        case .refused(let refusal): .refused(refusal)
        case .full: .full
        case .unknown: .unknown
        }
    }

    /// The end of a watch.
    var watchEnd: OrderingWatchEnd {
        switch self {
        case .refused(.compacted): .compacted
        case .refused(let refusal): .refused(refusal)
        case .full, .unknown: .broken
        }
    }
}
