package import StoryCluster

/// The member of etcd at the other end of a connection, and the user that it is asked as.
package struct EtcdPeer: Equatable, Sendable {
    /// Host and port, as the URL has them.
    package var authority: String
    /// True for TLS.
    package var isSecure: Bool
    /// The user; nil where etcd wants none.
    package var user: EtcdUser?

    /// Creates a peer.
    package init(authority: String, isSecure: Bool = false, user: EtcdUser? = nil) {
        self.authority = authority
        self.isSecure = isSecure
        self.user = user
    }

    /// Returns the headers of a request.
    func headers(_ method: EtcdMethod, token: String?) -> [(name: String, value: String)] {
        var headers = [
            (name: ":method", value: "POST"), (name: ":scheme", value: isSecure ? "https" : "http"),
            (name: ":path", value: method.rawValue), (name: ":authority", value: authority),
            (name: "content-type", value: "application/grpc"), (name: "te", value: "trailers"),
            (name: "user-agent", value: "storykeep"),
        ]
        if method.isStream { headers.append((name: "hasleader", value: "true")) }
        if let token { headers.append((name: "token", value: token)) }
        return headers
    }
}

/// A user of etcd.
package struct EtcdUser: Equatable, Sendable {
    package var name: String
    package var password: String

    /// Creates a user.
    package init(name: String, password: String) {
        self.name = name
        self.password = password
    }
}

/// A method of etcd's gRPC interface, with the path of its requests.
enum EtcdMethod: String {
    case range = "/etcdserverpb.KV/Range"
    case transaction = "/etcdserverpb.KV/Txn"
    case grantLease = "/etcdserverpb.Lease/LeaseGrant"
    case renewLease = "/etcdserverpb.Lease/LeaseKeepAlive"
    case revokeLease = "/etcdserverpb.Lease/LeaseRevoke"
    case compact = "/etcdserverpb.KV/Compact"
    case status = "/etcdserverpb.Maintenance/Status"
    case authenticate = "/etcdserverpb.Auth/Authenticate"
    case watch = "/etcdserverpb.Watch/Watch"

    /// True for a method whose stream etcd ends when the node has no leader, where the request asks for that.
    var isStream: Bool { self == .watch || self == .renewLease }
}

/// A result of a session.
package enum EtcdResult: Equatable, Sendable {
    /// The only answer to a call.
    case answered(CallID, OrderingAnswer)
    case watched(CallID, OrderingWatchBatch)
    /// The end of a watch that was not ended by the program.
    case watchEnded(CallID, OrderingWatchEnd)
    /// The connection cannot be used any more; the last result of a session.
    case connectionFailed(EtcdFailure)
}

/// The reason why a connection ended.
package enum EtcdFailure: Equatable, Sendable {
    /// The peer closed it, or it broke.
    case closed
    /// The peer said that it ends it, or broke the protocol; the sentence says which.
    case protocolEnded(String)
}
