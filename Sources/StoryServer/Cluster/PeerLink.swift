import Glibc
import StoryCore
import StoryNetwork
import StoryReactor
import StoryWire

/// The connection from this node to the one that leads: a Unix socket, or TLS with the node's own certificate.
///
/// Requests leave at the end of the turn.
final class PeerLink {
    /// The longest line of the other node, in bytes.
    private static let longestLine = 24 << 20

    private let transport: any Transport
    /// The own certificate, and the authority; nil where the node has none, and so reaches Unix sockets alone.
    private let files: TLSFiles?
    private let reader = PeerLineReader()
    private var link: PeerConnection?
    private var lines = LineFramer(limit: PeerLink.longestLine)
    private var unsent: [UInt8] = []
    /// The end of the connection that was not taken yet.
    private var end: Event?

    /// An event of the link, which the owner takes.
    enum Event: Equatable {
        /// The other node sent a line.
        case heard(PeerLine)
        /// The connection is at its end, and was not closed from here; `isRefused` where nobody listens.
        case ended(isRefused: Bool, reason: String)
    }

    init(_ transport: any Transport, _ files: TLSFiles?) { (self.transport, self.files) = (transport, files) }

    /// Returns true for the connection of this link.
    func owns(_ id: ConnectionID) -> Bool { id == link?.id }

    // MARK: The near side

    /// Connects to an address: a path, or HOST:PORT.
    func connect(to address: String) {
        close()
        do throws(ConnectionFailure) {
            link = try PeerConnection(to: address, files, transport)
        } catch {
            end = .ended(isRefused: error.isRefusal, reason: error.reason)
        }
    }

    /// Sends a request, at the end of the turn.
    func send(_ request: PeerRequest) { unsent += PeerLineReader.line(of: request) }

    /// Sends the requests of this turn.
    func flush() {
        guard !unsent.isEmpty, link?.isMade == true else { return }
        let bytes = unsent
        unsent = []
        withLink { (link) throws(TLSError) in try link.send(bytes) }
    }

    /// Closes the connection, which then has no end to take.
    func close() {
        end = nil
        guard let link else { return }
        (self.link, unsent) = (nil, [])
        lines.restart()
        transport.close(link.id)
    }

    // MARK: The far side

    /// Notes that a TCP connection is made.
    func made() { withLink { (link) throws(TLSError) in try link.made() } }

    /// Takes bytes of the connection.
    func received(_ bytes: UnsafeRawBufferPointer) {
        withLink { (link) throws(TLSError) in try link.received(bytes) { lines.append($0) } }
    }

    /// Takes out the next event; nil where there is none.
    func next() -> Event? {
        if let end = end.take() { return end }
        guard let link else { return nil }
        switch lines.next() {
        case .needBytes:
            guard link.isAtEnd else { return nil }
            close()
            return .ended(isRefused: false, reason: "it closed the connection")
        case .lineTooLong: return .heard(.malformed)
        case .line(let line): return .heard(reader.read(line))
        }
    }

    /// Notes that the connection is gone, or was not made.
    func closed() {
        guard let id = link?.id else { return }
        let reason = transport.connectFailure(id)
        lost(reason ?? "it closed the connection", isRefused: reason == PeerLink.refusal)
    }

    /// Checks the certificate of the other node; called once a second.
    func secondPassed() { withLink { (link) throws(TLSError) in try link.secondPassed() } }

    private static let refusal = String(cString: strerror(ECONNREFUSED))

    private func withLink(_ body: (PeerConnection) throws(TLSError) -> Void) {
        guard let link else { return }
        do throws(TLSError) { try body(link) } catch { lost("\(error)") }
    }

    private func lost(_ reason: String, isRefused: Bool = false) {
        close()
        end = .ended(isRefused: isRefused, reason: reason)
    }
}
