import Glibc
import StoryCore
import StoryNetwork
import StoryReactor
import StoryWire

/// The connection from this node to the one that leads: a Unix socket, or TLS with the node's own certificate.
///
/// Requests leave at the end of the turn.
final class PeerLink {
    private enum State {
        case idle
        case connecting(ConnectionID, host: String)
        /// Lines go over the connection, within the session where there is one.
        case open(ConnectionID, TLSSession?)
    }

    /// The longest line of the other node, in bytes.
    private static let longestLine = 24 << 20

    private let transport: any Transport
    /// The own certificate, and the authority; nil where the node has none, and so reaches Unix sockets alone.
    private let files: TLSFiles?
    private let reader = PeerLineReader()
    private var state = State.idle
    private var lines = LineFramer(limit: PeerLink.longestLine)
    private var unsent: [UInt8] = []
    /// Takes a line of the other node.
    var heard: (PeerLine) -> Void = { _ in }
    /// Takes the end of the connection, which was not closed from here; `isRefused` where nobody listens.
    var ended: (_ isRefused: Bool, _ reason: String) -> Void = { _, _ in }

    init(_ transport: any Transport, _ files: TLSFiles?) { (self.transport, self.files) = (transport, files) }

    private var connection: ConnectionID? {
        switch state {
        case .idle: nil
        case .connecting(let id, _), .open(let id, _): id
        }
    }

    /// Returns true for the connection of this link.
    func owns(_ id: ConnectionID) -> Bool { id == connection }

    // MARK: The near side

    /// Connects to an address: a path, or HOST:PORT.
    func connect(to address: String) {
        close()
        do throws(ReactorError) {
            guard !address.hasPrefix("/"), let port = HostAndPort(address) else {
                state = .open(try transport.connect(to: address), nil)
                return
            }
            guard files != nil else { return ended(false, "certificate: \(address) is reached with one alone") }
            state = .connecting(try transport.connect(host: port.host, port: port.port), host: port.host)
        } catch {
            ended(error.isRefusal, "\(error)")
        }
    }

    /// Sends a request, at the end of the turn.
    func send(_ request: PeerRequest) { unsent += PeerLineReader.line(of: request) }

    /// Sends the requests of this turn.
    func flush() {
        guard !unsent.isEmpty, case .open(let id, let session) = state else { return }
        let bytes = unsent
        unsent = []
        bytes.withUnsafeBytes { bytes in
            guard let session else {
                _ = transport.send(id, bytes)
                return
            }
            secured { () throws(TLSError) in try session.send(bytes) { _ = transport.send(id, $0) } }
        }
    }

    /// Closes the connection, without a call of `ended`.
    func close() {
        guard let connection else { return }
        (state, unsent) = (.idle, [])
        lines = LineFramer(limit: PeerLink.longestLine)
        transport.close(connection)
    }

    // MARK: The far side

    /// Notes that a TCP connection is made.
    func made() {
        guard case .connecting(let id, let host) = state, let files else { return }
        // The files are read for each connection, since certificates are renewed.
        secured { () throws(TLSError) in
            let session = try TLSContext(.client, files).session(host: host)
            state = .open(id, session)
            try session.begin { _ = transport.send(id, $0) }
        }
    }

    /// Takes bytes of the connection.
    func received(_ bytes: UnsafeRawBufferPointer) {
        guard case .open(let id, let session) = state else { return }
        if let session {
            secured { () throws(TLSError) in
                try session.received(bytes) {
                    _ = transport.send(id, $0)
                } deliver: {
                    lines.append($0)
                }
            }
        } else {
            lines.append(bytes)
        }
        while owns(id) {
            switch lines.next() {
            case .needBytes:
                if session?.state == .ended { end("it closed the connection") }
                return
            case .lineTooLong: heard(.malformed)
            case .line(let line):
                let line = reader.read(line)
                heard(line)
            }
        }
    }

    /// Notes that the connection is gone, or was not made.
    func closed() {
        guard let connection else { return }
        let reason = transport.connectFailure(connection)
        end(reason ?? "it closed the connection", isRefused: reason == PeerLink.refusal)
    }

    private static let refusal = String(cString: strerror(ECONNREFUSED))

    private func secured(_ step: () throws(TLSError) -> Void) {
        do throws(TLSError) { try step() } catch { end("\(error)") }
    }

    private func end(_ reason: String, isRefused: Bool = false) {
        close()
        ended(isRefused, reason)
    }
}

extension ReactorError {
    /// True where nobody listens at the address.
    fileprivate var isRefusal: Bool {
        if case .refused(_, _, let code) = self { code == ECONNREFUSED } else { false }
    }
}
