import StoryNetwork
import StoryReactor

/// The TLS of a connection that the daemon makes: between a socket and bytes of its own.
///
/// It reads the files of certificates itself, so that each connection shows those that are there by then.
final class OutboundTLS {
    private let session: TLSSession
    private var files: FileChange
    private let id: ConnectionID
    private let transport: any Transport

    /// Begins the handshake of a connection that is made.
    ///
    /// - Parameters:
    ///   - files: the own certificate, and the authority that has to have signed the other one.
    ///   - host: the name or the address that the other certificate has to have.
    ///   - protocols: the names of the protocols that are spoken inside, for a peer who wants to know that.
    init(
        _ files: TLSFiles, host: String, speaking protocols: [String] = [], over id: ConnectionID,
        _ transport: any Transport
    ) throws(TLSError) {
        (self.id, self.transport) = (id, transport)
        // Looked at before they are read, so that a change meanwhile is noticed.
        self.files = FileChange(of: files)
        session = try TLSContext(.client, files).session(host: host)
        try session.offer(protocols)
        try session.handshake { transport.send(id, $0) }
    }

    /// True once bytes can be sent.
    var isOpen: Bool { session.state == .open || session.state == .ended }
    /// True once the peer has said that it sends no more.
    var isAtEnd: Bool { session.state == .ended }

    /// Checks that the peer's certificate is still one to accept; called once a second.
    ///
    /// - Throws: where it has expired, or the file of the authority has changed and does not accept it.
    func secondPassed() throws(TLSError) {
        guard session.state == .open else { return }
        try session.checkExpiry(at: WallClock.seconds)
        guard files.isNew(), let context = try? TLSContext(.client, files.files) else { return }
        try session.verifyPeer(by: context)
    }

    /// Sends bytes; nothing before `isOpen`.
    func send(_ bytes: UnsafeRawBufferPointer) throws(TLSError) {
        try session.send(bytes) { transport.send(id, $0) }
    }

    /// Takes bytes of the socket, and delivers those inside.
    func received(_ bytes: UnsafeRawBufferPointer, deliver: (UnsafeRawBufferPointer) -> Void) throws(TLSError) {
        try session.received(bytes, send: { transport.send(id, $0) }, deliver: deliver)
    }
}
