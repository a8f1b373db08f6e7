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

    /// Adds a connection to the loop; it is reported once its handshake has ended. Nothing is computed for it before its
    /// first byte.
    func open(_ descriptor: Int32, in reactor: Reactor) {
        let remote = SocketConnection.Remote(StreamSocket.address(of: descriptor, peer: true))
        let slot = handshakes.slot(for: remote.host, at: reactor.handles.now) { id in
            reactor.connections[id]?.isInputWaiting == true
        }
        switch slot {
        case .free: break
        case .of(let other): giveUp(other, in: reactor)
        case .none:
            Glibc.close(descriptor)
            reactor.handler?.handshakeGivenUp(from: remote.text)
            return
        }
        guard let id = reactor.watch(descriptor), let connection = reactor.connections[id] else { return }
        connection.remote = remote
        connection.isReported = false
        connection.phase = .handshaking(deadline: reactor.handles.now + Handshakes.longest)
        reactor.endingCount += 1
        handshakes.began(id, from: remote.host, at: reactor.handles.now)
    }

    /// Closes a connection that is in the handshake.
    func giveUp(_ id: ConnectionID, in reactor: Reactor) {
        guard let connection = reactor.connections[id] else { return }
        reactor.shut(connection)
        reactor.handler?.handshakeGivenUp(from: connection.remote?.text ?? "unknown")
    }

    /// Begins the handshake of a connection; false where that fails.
    private func begin(_ connection: SocketConnection) -> Bool {
        guard connection.security == nil, let remote = connection.remote else { return connection.security != nil }
        guard let certificates, let session = try? certificates.session() else { return false }
        StreamSocket.prepare(connection.descriptor)
        connection.security = SocketConnection.Security(session: session, from: remote.text, acceptedBy: certificates)
        return true
    }

    /// Takes bytes of a connection: a step of its handshake, or data for the handler.
    func received(_ bytes: UnsafeRawBufferPointer, _ connection: SocketConnection, in reactor: Reactor) {
        guard begin(connection), let session = connection.security?.session else { return reactor.shut(connection) }
        do throws(TLSError) {
            let send = { (bytes: UnsafeRawBufferPointer) in
                if case .handshaking = connection.phase { self.handshakes.answered(connection.id) }
                reactor.put(bytes, connection)
            }
            try session.received(bytes, send: { send($0) }) { data in
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
    func send(_ data: UnsafeRawBufferPointer, _ connection: SocketConnection, in reactor: Reactor) -> Bool {
        do throws(TLSError) {
            try connection.security?.session.send(data) { reactor.put($0, connection) }
        } catch {
            reactor.shut(connection)
        }
        return connection.output.isEmpty
    }

    // MARK: Ends of certificates

    /// Reports the open connections whose certificate has expired, or that the present authority does not accept, a
    /// few of these in a call.
    func checkCertificates(at now: Int, in reactor: Reactor) {
        guard let certificates else { return }
        var left = SecureConnections.verifiedAtOnce
        reactor.connections.forEach { connection in
            guard connection.phase == .open, let security = connection.security else { return }
            do throws(TLSError) {
                try security.session.checkExpiry(at: now)
                guard security.acceptedBy !== certificates, left > 0 else { return }
                left -= 1
                try security.session.verifyPeer(by: certificates)
                connection.security?.acceptedBy = certificates
            } catch {
                reactor.handler?.certificateEnded(connection.id, error)
            }
        }
    }

    /// The number of certificates that are verified once more in one tick, each of which takes a part of a millisecond.
    private static let verifiedAtOnce = 16

    private func handshakeMayHaveEnded(_ connection: SocketConnection, in reactor: Reactor) {
        guard case .handshaking = connection.phase, let security = connection.security,
            security.session.state != .handshaking
        else { return }
        connection.phase = .open
        connection.isReported = true
        reactor.endingCount -= 1
        handshakes.ended(connection.id, isLetIn: true)
        let certificate = PeerCredentials.Certificate(name: security.session.peerName, from: security.from)
        reactor.handler?.connectionOpened(connection.id, peer: PeerCredentials(certificate))
    }

    /// Ends a connection whose TLS failed, after its alert is sent.
    private func failed(_ connection: SocketConnection, _ error: TLSError, in reactor: Reactor) {
        switch connection.phase {
        case .handshaking: handshakes.ended(connection.id)
        case .open: reactor.endingCount += 1
        case .finishing, .lingering, .closed: return
        }
        connection.phase = .finishing(deadline: reactor.handles.now + Reactor.finishTime, lingers: true)
        reactor.handler?.securityFailed(from: connection.security?.from ?? "", error)
        connection.security = nil
        // The alert is a courtesy, for which many failing peers get no descriptors.
        if reactor.endingCount > 2 * Handshakes.most { return reactor.shut(connection) }
        if connection.output.isEmpty { reactor.outputIsGone(connection) }
    }
}
