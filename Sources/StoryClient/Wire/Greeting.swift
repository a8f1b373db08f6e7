/// The greeting that a store sends when a connection is made.
public struct Greeting: Hashable, Sendable, Decodable {
    /// The limits of one connection.
    public struct Limits: Hashable, Sendable, Decodable {
        /// The maximum size of a request line in bytes, LF not counted.
        public let line: Int
        /// The maximum number of requests of one connection that the store handles in one turn.
        public let inflight: Int

        private enum CodingKeys: CodingKey { case line, inflight }

        /// Decodes the limits; an absent one gets the smallest value that a store ever had.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            line = max(1, try members.decodeIfPresent(Int.self, forKey: .line) ?? 1_048_576)
            inflight = max(1, try members.decodeIfPresent(Int.self, forKey: .inflight) ?? 64)
        }

        init() { (line, inflight) = (1_048_576, 64) }
    }

    /// The store's view of this process.
    public struct Peer: Hashable, Sendable, Decodable {
        /// The user ID, as the kernel reported it to the store.
        public let uid: UInt32
        /// The role: `read`, `write`, `define`, `write,define` or `admin`.
        public let role: String
    }

    /// The program and its version.
    public let server: String
    /// The version of the protocol: 1.
    public let protocolVersion: Int
    /// The position of the last event when the connection was made.
    public let position: UInt64
    /// `fsync`: acknowledged means synced to disk; `memory`: the data directory is in memory.
    public let durable: String?
    /// The ID of the log's history; positions are valid within one history.
    public let log: String?
    /// The limits of this connection.
    public let limits: Limits
    /// The store's view of this process.
    public let you: Peer?
    /// True for a replica, which refuses writes; a node of a log passes them on.
    public let isReplica: Bool

    /// The member that replicas and nodes have.
    private struct Cluster: Decodable {
        let node: JSONValue?
    }

    private enum CodingKeys: String, CodingKey {
        case server
        case protocolVersion = "protocol"
        case position, durable, log, limits, you, cluster
    }

    /// Decodes a greeting; members that were added later may be absent.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        server = try members.decode(String.self, forKey: .server)
        protocolVersion = try members.decode(Int.self, forKey: .protocolVersion)
        position = try members.decode(UInt64.self, forKey: .position)
        durable = try members.decodeIfPresent(String.self, forKey: .durable)
        log = try members.decodeIfPresent(String.self, forKey: .log)
        limits = try members.decodeIfPresent(Limits.self, forKey: .limits) ?? Limits()
        you = try members.decodeIfPresent(Peer.self, forKey: .you)
        isReplica = try members.decodeIfPresent(Cluster.self, forKey: .cluster).map { $0.node == nil } ?? false
    }
}
