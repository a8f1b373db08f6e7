import StoryCluster
import StoryEtcd

/// The framing of etcd: HTTP/2, with a session for each connection.
///
/// The first call of a connection asks for the version, so that no other one is sent to an etcd that loses writes.
struct EtcdFraming: LinkFraming {
    static let protocols = ["h2"]
    /// The number of the call for the version, which no request has.
    static let version = CallID(0)

    private let endpoint: EtcdEndpoint
    /// Returns the user with the present password; nil where etcd wants none.
    private let user: () -> EtcdUser?
    /// The session of the connection; nil while there is none that is open.
    private(set) var session: EtcdSession?
    /// The results of sessions that have ended.
    private var results: [EtcdResult] = []

    init(_ endpoint: EtcdEndpoint, user: @escaping () -> EtcdUser?) { (self.endpoint, self.user) = (endpoint, user) }

    mutating func begin() {
        let peer = EtcdPeer(authority: "\(endpoint.address)", isSecure: endpoint.isSecure, user: user())
        let session = EtcdSession(peer, user: user)
        session.call(EtcdFraming.version, .status)
        self.session = session
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) { session?.received(bytes) }
    mutating func takeOutput() -> [UInt8] { session?.takeOutput() ?? [] }

    mutating func end() {
        guard let session else { return }
        session.peerClosed()
        results += session.takeResults()
        self.session = nil
    }

    /// Returns the results since the last call.
    mutating func takeResults() -> [EtcdResult] {
        guard !results.isEmpty else { return session?.takeResults() ?? [] }
        defer { results = [] }
        return results
    }
}
