#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a store says when a connection is made.
public struct Greeting: Hashable, Sendable, Decodable {
    /// The limits of one connection.
    public struct Limits: Hashable, Sendable, Decodable {
        /// Bytes of a request line, LF not counted.
        public let line: Int
        /// Requests that are taken up at once.
        public let inflight: Int

        private enum CodingKeys: CodingKey { case line, inflight }

        /// What is absent is as small as it ever was.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            line = max(1, try members.decodeIfPresent(Int.self, forKey: .line) ?? 1_048_576)
            inflight = max(1, try members.decodeIfPresent(Int.self, forKey: .inflight) ?? 64)
        }

        init() { (line, inflight) = (1_048_576, 64) }
    }

    /// Who the store takes this process for.
    public struct Peer: Hashable, Sendable, Decodable {
        /// The user's number, told by the kernel.
        public let uid: UInt32
        /// `read`, `write` or `admin`.
        public let role: String
    }

    /// The program and its version.
    public let server: String
    /// The version of the protocol: 1.
    public let protocolVersion: Int
    /// The last event when the connection was made.
    public let position: UInt64
    /// `fsync`: acknowledged means synced.
    public let durable: String?
    /// Which history this is; positions mean something within one.
    public let log: String?
    /// The limits of this connection.
    public let limits: Limits
    /// Who the store takes this process for.
    public let you: Peer?

    private enum CodingKeys: String, CodingKey {
        case server
        case protocolVersion = "protocol"
        case position, durable, log, limits, you
    }

    /// Members that were added later may be absent.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        server = try members.decode(String.self, forKey: .server)
        protocolVersion = try members.decode(Int.self, forKey: .protocolVersion)
        position = try members.decode(UInt64.self, forKey: .position)
        durable = try members.decodeIfPresent(String.self, forKey: .durable)
        log = try members.decodeIfPresent(String.self, forKey: .log)
        limits = try members.decodeIfPresent(Limits.self, forKey: .limits) ?? Limits()
        you = try members.decodeIfPresent(Peer.self, forKey: .you)
    }
}
