import CUV
import Glibc
import StoryCore
import StoryNetwork

/// New connections of clients.
extension Reactor {
    func accept(_ listener: Listener) {
        for _ in 0..<Reactor.acceptedInOneTurn {
            let descriptor = storykeep_accept(listener.descriptor)
            if descriptor >= 0 {
                isShort = false
                if listener.isRemote { secure.open(descriptor, in: self) } else { open(descriptor) }
            } else if errno == EAGAIN {
                return
            } else if errno != EINTR && errno != ECONNABORTED {
                // No descriptors or no memory: an immediate retry would spin, so the listener pauses for a tick.
                if !isShort { handler?.clientNotAccepted(errno: errno) }
                isShort = true
                return listener.pause()
            }
            if listener.isEnded { return }
        }
    }

    private func open(_ descriptor: Int32) {
        guard let peer = PeerCredentials(of: descriptor) else {
            Glibc.close(descriptor)
            return
        }
        if let id = watch(descriptor) { handler?.connectionOpened(id, peer: peer) }
    }
}

/// Outbound connections to Unix sockets, and to TCP ports without waiting.
extension Reactor {
    /// Connects to a Unix socket without waiting; the beginning of the connection is not reported to the handler.
    ///
    /// - Throws: `.refused` where nobody listens at the path, too many wait there, the system has no descriptor, or the loop
    ///   stops, which a new connection would keep from its end; the error of a path that is no address.
    package func connect(to path: String) throws(ReactorError) -> ConnectionID {
        guard !isStopping else { throw .refused(call: "connect", path: path, code: ECANCELED) }
        guard let id = watch(try SocketAddress(path: path).connected()) else {
            throw .refused(call: "epoll_ctl", path: path, code: ENOMEM)
        }
        return id
    }

    /// Begins to connect to a TCP port, and returns at once. `connectionMade` or `connectionClosed` reports the outcome;
    /// bytes that are sent before are dropped.
    ///
    /// - Parameter host: a numeric address, or a name, which a thread looks up.
    /// - Throws: `.refused` where the loop has no room for a connection.
    package func connect(host: String, port: UInt16) throws(ReactorError) -> ConnectionID {
        guard !isStopping, let id = connections.reserve() else {
            throw .refused(call: "connect", path: "\(host):\(port)", code: isStopping ? ECANCELED : EMFILE)
        }
        dials.begin(id, HostAndPort(host: host, port: port))
        return id
    }

    /// Returns the reason why a connection was not made; nil but within its `connectionClosed`.
    package func connectFailure(_ id: ConnectionID) -> String? {
        dials.failure?.id == id ? dials.failure?.reason : nil
    }

    /// Adds a connected socket to the loop; closes it and returns nil where the loop has no room for it.
    func watch(_ descriptor: Int32) -> ConnectionID? {
        guard let id = connections.reserve() else {
            Glibc.close(descriptor)
            return nil
        }
        guard let handle = handles.watch(descriptor) else {
            connections.release(id)
            Glibc.close(descriptor)
            return nil
        }
        add(SocketConnection(id: id, descriptor: descriptor, handle: handle))
        return id
    }

    /// Puts a connection in the slot of its ID, and begins to read it.
    func add(_ connection: SocketConnection) {
        connection.handle.pointee.data = Unmanaged.passUnretained(connection).toOpaque()
        connections.insert(connection)
        connection.updateWatching()
    }
}

/// The housekeeping of the reactor, ten times a second, and the ends of connections that are late.
extension Reactor {
    func tick() {
        for listener in listeners { _ = listener.start(in: handles) }
        for id in secure.handshakes.late(at: handles.now) { secure.giveUp(id, in: self) }
        if endingCount > 0 { connections.forEach(endIfLate) }
        secure.checkCertificates(at: WallClock.seconds, in: self)
        dials.endLate()
        ticks += 1
        if ticks % Reactor.goneTicks == 0 { connections.forEach { if $0.isAbandoned { shut($0) } } }
        handler?.timerFired()
        requestTurn()
    }

    private func endIfLate(_ connection: SocketConnection) {
        guard let deadline = connection.deadline, deadline <= handles.now else { return }
        if case .handshaking = connection.phase { secure.giveUp(connection.id, in: self) } else { shut(connection) }
    }

    /// Closes the connections that wait for their peers to close, where the peer has sent nothing more.
    package func endLingering() {
        guard endingCount > 0 else { return }
        connections.forEach { connection in
            switch connection.phase {
            case .finishing(let deadline, _): connection.phase = .finishing(deadline: deadline, lingers: false)
            case .lingering where !connection.isInputWaiting: shut(connection)
            case .handshaking, .open, .lingering, .closed: break
            }
        }
    }
}
