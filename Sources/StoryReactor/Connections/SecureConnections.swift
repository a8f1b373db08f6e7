import CUV
import Glibc
import StoryCore
import StoryNetwork

/// The connections of other machines: their handshakes, and the TLS around their bytes.
final class SecureConnections {
    /// The certificates of connections from now on; nil where no other machine may connect.
    var certificates: TLSContext?
    /// The handshakes that are under way.
    var handshakes = Handshakes()

    /// Adds a connection to the loop; it is reported once its handshake has ended.
    func open(_ descriptor: Int32, in reactor: Reactor) {
        StreamSocket.prepare(descriptor)
        let session: TLSSession?
        do throws(TLSError) { session = try certificates?.session() } catch { session = nil }
        guard let session else {
            Glibc.close(descriptor)
            return
        }
        let from = StreamSocket.address(of: descriptor, peer: true)?.text?.description ?? "unknown"
        guard let id = reactor.watch(descriptor), let connection = reactor.connections[id] else { return }
        connection.security = Connection.Security(session: session, from: from)
        connection.isReported = false
        connection.phase = .handshaking(deadline: reactor.handles.now + Handshakes.longest)
        reactor.endingCount += 1
        handshakes.began()
    }

    /// Takes bytes of a connection: a step of its handshake, or data for the handler.
    func received(_ bytes: UnsafeRawBufferPointer, _ connection: Connection, in reactor: Reactor) {
        guard let session = connection.security?.session else { return }
        do throws(TLSError) {
            try session.received(bytes, send: { reactor.put($0, connection) }) { data in
                handshakeMayHaveEnded(connection, in: reactor)
                if connection.phase == .open { reactor.handler?.bytesReceived(connection.id, data) }
            }
        } catch {
            return failed(connection, error, in: reactor)
        }
        handshakeMayHaveEnded(connection, in: reactor)
        if session.state == .ended, connection.phase == .open, !connection.isAtEnd {
            connection.isAtEnd = true
            reactor.handler?.peerClosed(connection.id)
        }
    }

    /// Encrypts data for a connection; returns true if nothing was queued.
    func send(_ data: UnsafeRawBufferPointer, _ connection: Connection, in reactor: Reactor) -> Bool {
        do throws(TLSError) {
            try connection.security?.session.send(data) { reactor.put($0, connection) }
        } catch {
            reactor.shut(connection)
        }
        return connection.output.isEmpty
    }

    private func handshakeMayHaveEnded(_ connection: Connection, in reactor: Reactor) {
        guard case .handshaking = connection.phase, let security = connection.security,
            security.session.state != .handshaking
        else { return }
        connection.phase = .open
        connection.isReported = true
        reactor.endingCount -= 1
        handshakes.ended()
        let certificate = PeerCredentials.Certificate(name: security.session.peerName, from: security.from)
        reactor.handler?.connectionOpened(connection.id, peer: PeerCredentials(certificate))
    }

    /// Ends a connection whose TLS failed, after its alert is sent.
    private func failed(_ connection: Connection, _ error: TLSError, in reactor: Reactor) {
        switch connection.phase {
        case .handshaking: handshakes.ended()
        case .open: reactor.endingCount += 1
        case .finishing, .lingering, .closed: return
        }
        connection.phase = .finishing(deadline: reactor.handles.now + Reactor.finishTime, lingers: true)
        reactor.handler?.securityFailed(from: connection.security?.from ?? "", error)
        if connection.output.isEmpty { reactor.outputIsGone(connection) }
    }
}
