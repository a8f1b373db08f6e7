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
