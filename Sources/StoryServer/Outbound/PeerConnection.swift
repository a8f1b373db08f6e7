import Glibc
import StoryCore
import StoryNetwork
import StoryReactor
import StoryStorage

/// The ports and settings of the links that the daemon has to other stores.
struct LinkPorts {
    let transport: any Transport
    /// The own certificate, and the authority of the others; nil where there are none.
    let certificates: TLSFiles?
    /// How long an answer is waited for, in ticks of 0.1 s.
    let patience: UInt64
    let clock: Clock
    let trace: Trace
}

/// A connection to another store: to a socket of this machine, or with TLS to another machine.
final class PeerConnection {
    let id: ConnectionID
    private let transport: any Transport
    /// The other machine, and the files that are shown to it; nil for a socket of this machine.
    private let remote: (host: String, files: TLSFiles)?
    private var tls: OutboundTLS?

    /// Connects to a socket, or begins to connect to another machine.
    ///
    /// - Parameters:
    ///   - address: the absolute path of a socket, or `HOST:PORT`.
    ///   - files: the own certificate, and the authority of the others; nil where there are none.
    /// - Throws: where nobody accepts the connection, or this store has no certificate.
    init(to address: String, _ files: TLSFiles?, _ transport: any Transport) throws(ConnectionFailure) {
        self.transport = transport
        guard let machine = HostAndPort(address) else {
            remote = nil
            id = try ConnectionFailure.of { () throws(ReactorError) in try transport.connect(to: address) }
            return
        }
        guard let files else {
            throw ConnectionFailure("it is another machine: say --certificate, --certificate-key and --authority")
        }
        remote = (machine.host, files)
        id = try ConnectionFailure.of { () throws(ReactorError) in
            try transport.connect(host: machine.host, port: machine.port)
        }
    }

    /// True once the connection is made, and TLS has begun where it is to another machine.
    var isMade: Bool { remote == nil || tls != nil }
    /// True once the other side has said within TLS that it sends no more.
    var isAtEnd: Bool { tls?.isAtEnd == true }

    /// Begins with TLS, since the connection is made.
    func made() throws(TLSError) {
        guard let remote, tls == nil else { return }
        tls = try OutboundTLS(remote.files, host: remote.host, over: id, transport)
    }

    /// Checks the certificate of the other side; called once a second.
    func secondPassed() throws(TLSError) { try tls?.secondPassed() }

    /// Sends lines; those to another machine only after its greeting.
    func send(_ lines: [UInt8]) throws(TLSError) {
        if let tls { return try lines.withBytes { (bytes) throws(TLSError) in try tls.send(bytes) } }
        _ = lines.withUnsafeBytes { transport.send(id, $0) }
    }

    /// Takes bytes of the socket.
    ///
    /// - Parameter deliver: takes bytes of lines.
    func received(_ bytes: UnsafeRawBufferPointer, deliver: (UnsafeRawBufferPointer) -> Void) throws(TLSError) {
        guard let tls else { return deliver(bytes) }
        try tls.received(bytes, deliver: deliver)
    }
}

/// The reason why no connection was begun.
struct ConnectionFailure: Error, Equatable {
    let reason: String
    /// True where nobody listens at the address.
    let isRefusal: Bool

    init(_ reason: String, isRefusal: Bool = false) { (self.reason, self.isRefusal) = (reason, isRefusal) }

    fileprivate static func of(
        _ connect: () throws(ReactorError) -> ConnectionID
    ) throws(ConnectionFailure) -> ConnectionID {
        do throws(ReactorError) { return try connect() } catch {
            guard case .refused(_, _, ECONNREFUSED) = error else { throw ConnectionFailure("\(error)") }
            throw ConnectionFailure("\(error)", isRefusal: true)
        }
    }
}
