import Glibc
import StoryCore
import StoryNetwork
import StoryReactor

/// The other side of a link: a store, or a member of etcd.
enum LinkTarget {
    /// A socket of this machine.
    case path(String)
    /// A port, on this machine or another one.
    case host(HostAndPort, isSecure: Bool)

    /// Reads the address of a store: the absolute path of a socket, or `HOST:PORT`, which is reached with TLS.
    init(store address: String) {
        self = HostAndPort(address).map { .host($0, isSecure: true) } ?? .path(address)
    }
}

/// The end of a connection that was not closed from this side.
struct LinkEnd: Equatable {
    let reason: String
    /// True where nobody listens at the address.
    var isRefusal = false
}

/// A link to another program, over one connection after the other.
///
/// It connects, begins TLS where that is wanted, and passes bytes between the socket and the framing. A connection that
/// ends has one end, which the owner takes; the framing has the bytes before it until then, and nothing of them after it.
/// The owner decides when the next connection is made.
final class OutboundLink<Framing: LinkFraming & ~Copyable> {
    private enum State {
        case idle
        /// TCP is being connected, and TLS follows where there is a host.
        case connecting(ConnectionID, secure: (host: String, files: TLSFiles)?)
        case handshaking(ConnectionID, OutboundTLS)
        case open(ConnectionID, OutboundTLS?)
        case ended(LinkEnd)
    }

    var framing: Framing
    private let transport: any Transport
    /// The own certificate, and the authority of the others; nil where there are none.
    private let certificates: TLSFiles?
    private var state = State.idle
    private var isPaused = false

    init(_ framing: consuming Framing, _ certificates: TLSFiles?, _ transport: any Transport) {
        (self.certificates, self.transport) = (certificates, transport)
        self.framing = framing
    }

    /// The connection; nil while there is none.
    var id: ConnectionID? {
        switch state {
        case .idle, .ended: nil
        case .connecting(let id, _), .handshaking(let id, _), .open(let id, _): id
        }
    }

    /// True once bytes come and can be sent, until the connection is at its end.
    var isOpen: Bool { if case .open = state { true } else { false } }

    /// True while the connection has an end that was not taken.
    var hasEnded: Bool { if case .ended = state { true } else { false } }

    // MARK: The near side

    /// Begins a connection, in place of the one that there is.
    func connect(to target: LinkTarget) {
        close()
        do throws(ReactorError) {
            switch target {
            case .path(let path): open(try transport.connect(to: path), nil)
            case .host(let address, let isSecure):
                let secure = isSecure ? certificates.map { (address.host, $0) } : nil
                guard !isSecure || secure != nil else {
                    return ended("it wants TLS: say --certificate, --certificate-key and --authority")
                }
                state = .connecting(try transport.connect(host: address.host, port: address.port), secure: secure)
            }
        } catch {
            if case .refused(_, _, ECONNREFUSED) = error { return ended("\(error)", isRefusal: true) }
            ended("\(error)")
        }
    }

    /// Sends the output of the framing, once the link is open.
    func flush() {
        guard case .open(let id, let tls) = state else { return }
        framing.takeOutput().withUnsafeBytes { bytes in
            guard !bytes.isEmpty else { return }
            guard let tls else {
                transport.send(id, bytes)
                return
            }
            secured { () throws(TLSError) in try tls.send(bytes) }
        }
    }

    /// Leaves the bytes of the other side in the socket, or reads them again.
    func setPaused(_ isPaused: Bool) {
        guard isPaused != self.isPaused, let id else { return }
        self.isPaused = isPaused
        if isPaused { transport.pauseReading(id) } else { transport.resumeReading(id) }
    }

    /// Closes the connection, which then has no end to take.
    func close() {
        if let id { transport.close(id) }
        (state, isPaused) = (.idle, false)
        framing.end()
    }

    /// Ends the connection, if there is one, since the other side sends nonsense, or nothing.
    func end(_ reason: String) { if id != nil { ended(reason) } }

    private func ended(_ reason: String, isRefusal: Bool = false) {
        if let id { transport.close(id) }
        (state, isPaused) = (.ended(LinkEnd(reason: reason, isRefusal: isRefusal)), false)
    }

    /// Takes the end of the connection, and drops the rest of its bytes; nil while it has none.
    func takeEnd() -> LinkEnd? {
        guard case .ended(let end) = state else { return nil }
        close()
        return end
    }

    // MARK: The far side

    /// Notes that a TCP connection is made (`ReactorHandler.connectionMade`).
    func made() {
        guard case .connecting(let id, let secure) = state else { return }
        guard let secure else { return open(id, nil) }
        secured { () throws(TLSError) in
            state = .handshaking(
                id,
                try OutboundTLS(secure.files, host: secure.host, speaking: Framing.protocols, over: id, transport))
        }
    }

    private func open(_ id: ConnectionID, _ tls: OutboundTLS?) {
        state = .open(id, tls)
        framing.begin()
    }

    /// Takes bytes of the socket.
    func received(_ bytes: UnsafeRawBufferPointer) {
        switch state {
        case .idle, .connecting, .ended: break
        case .open(_, nil): framing.append(bytes)
        case .handshaking(let id, let tls), .open(let id, let tls?): received(bytes, id, tls)
        }
    }

    private func received(_ bytes: UnsafeRawBufferPointer, _ id: ConnectionID, _ tls: OutboundTLS) {
        secured { () throws(TLSError) in
            try tls.received(bytes) { data in
                opensAfterHandshake(id, tls)
                framing.append(data)
            }
        }
        opensAfterHandshake(id, tls)
        if isOpen, tls.isAtEnd { ended(OutboundLink.closing) }
    }

    private func opensAfterHandshake(_ id: ConnectionID, _ tls: OutboundTLS) {
        if case .handshaking = state, tls.isOpen { open(id, tls) }
    }

    /// Notes that the other side sends no more, or that the connection is gone or was not made.
    func closed() {
        guard let id else { return }
        let reason = transport.connectFailure(id)
        ended(reason ?? OutboundLink.closing, isRefusal: reason == String(cString: strerror(ECONNREFUSED)))
    }

    /// Checks the certificate of the other side; called once a second.
    func secondPassed() {
        guard case .open(_, let tls?) = state else { return }
        secured { () throws(TLSError) in try tls.secondPassed() }
    }

    private static var closing: String { "it closed the connection" }

    private func secured(_ body: () throws(TLSError) -> Void) {
        do throws(TLSError) { try body() } catch { ended("\(error)") }
    }
}
