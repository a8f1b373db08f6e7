import CUV
import Glibc
package import StoryCore
package import StoryNetwork

/// The event loop: one thread, listening sockets, any number of connections, bytes in and bytes out.
///
/// It knows nothing of the protocol. Its handler may call it from within any callback, also with IDs of closed
/// connections.
package final class Reactor {
    /// The most bytes that one connection can deliver in one turn.
    package static let readBufferSize = 131_072
    /// The approximate limit of bytes read in one turn: the nearer it is, the less is read of each connection, down to
    /// `leastRead`.
    package static let turnBytes = 8 << 20
    /// The smallest size of a read, in bytes.
    package static let leastRead = 4_096
    /// The limits in bytes and milliseconds of the input that `finish` reads and drops after our last byte is sent.
    static let lingerBytes = 65_536
    static let lingerTime: UInt64 = 1_000
    /// The time that `finish` waits for a peer that takes nothing, in milliseconds.
    static let finishTime: UInt64 = 5_000
    /// The interval of looking for abandoned connections, in ticks of 0.1 s.
    static let goneTicks: UInt64 = 10
    /// The most clients that are accepted in one turn; the rest wait in the backlog.
    static let acceptedInOneTurn = 256
    /// The most clients of other machines in the handshake, which have a descriptor each.
    package static let mostHandshakes = Handshakes.most

    /// The waker of the loop, for other threads.
    package let waker = Waker()

    let handles: LoopHandles
    var connections = ConnectionTable()
    var handler: (any ReactorHandler)?
    /// The outbound TCP connections that are not made yet.
    let dials: Dials
    var listeners: [Listener] = []
    let secure = SecureConnections()
    private let readBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: readBufferSize, alignment: 64)
    /// The number of bytes that were read in this turn.
    var bytesOfTurn = 0
    private(set) var isStopping = false
    /// True while the system has no descriptor or memory for a client, which was reported to the handler.
    var isShort = false
    /// The number of connections that are in the handshake, finishing or lingering, and so have a deadline.
    var endingCount = 0
    /// The number of ticks of 0.1 s so far.
    var ticks: UInt64 = 0

    /// Makes the loop, and lets the process survive writes to closed peers (SIGPIPE) and to full quotas (SIGXFSZ).
    package init() throws(ReactorError) {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        handles = try LoopHandles()
        dials = Dials(handles, waker)
        waker.attach(handles.async)
        dials.reactor = self
        handles.start(for: self)
    }

    deinit {
        closeEverything()
        handles.finish()
        readBuffer.deallocate()
    }

    /// Accepts clients at a path; only the owner may connect, and those named.
    ///
    /// The parent directory is made if it is missing; a stale socket is replaced, anything else at the path is left
    /// alone and refused.
    ///
    /// - Returns: the reason why the file admits every user; nil where it admits those alone that may connect.
    @discardableResult
    package func listen(at path: String, for access: SocketAccess = SocketAccess()) throws(ReactorError) -> String? {
        let file = try SocketFile(path: path, for: access)
        try listen(file, path)
        return file.openReason
    }

    /// Accepts clients on an inherited socket, whose file is left to the process that made it.
    package func listen(on socket: InheritedSocket) throws(ReactorError) { try listen(SocketFile(socket), socket.path) }

    private func listen(_ file: SocketFile, _ path: String) throws(ReactorError) {
        precondition(listeners.allSatisfy(\.isRemote), "second socket to listen at: \(path)")
        let listener = Listener(file.descriptor, file)
        listeners.append(listener)
        guard listener.start(in: handles) else {
            stopListening()
            throw .refused(call: "epoll_ctl", path: path, code: errno)
        }
    }

    /// Accepts clients of other machines as well, at each address of a host; returns the address with its port, which the
    /// system chooses where it is 0.
    ///
    /// - Parameter certificates: the certificates of connections until `certificatesChanged`.
    package func listen(
        at address: HostAndPort, _ certificates: TLSContext
    ) throws(ReactorError) -> HostAndPort {
        let (found, address) = try Listener.remote(at: address)
        listeners += found
        secure.certificates = certificates
        // A listener that the system does not watch now is tried again in each tick.
        for listener in found { _ = listener.start(in: handles) }
        return address
    }

    /// Shows and accepts other certificates in connections from now on.
    package func certificatesChanged(to certificates: TLSContext) { secure.certificates = certificates }

    /// Serves until `stop()`; returns when every connection is closed and its `connectionClosed` was called.
    ///
    /// It serves nobody where `stop()` was called before.
    package func run(_ handler: any ReactorHandler) {
        self.handler = handler
        if isStopping { stopListening() }
        handles.run()
        dials.reportEnded()
        self.handler = nil
    }

    /// Writes bytes at once, and queues those that the kernel does not take; true if none were queued.
    @discardableResult
    package func send(_ id: ConnectionID, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let connection = connections[id], connection.phase == .open, !bytes.isEmpty else { return true }
        return connection.security == nil ? put(bytes, connection) : secure.send(bytes, connection, in: self)
    }

    /// Writes bytes as they go over the wire, or queues them; true if none were queued.
    @discardableResult
    func put(_ bytes: UnsafeRawBufferPointer, _ connection: SocketConnection) -> Bool {
        guard connection.phase != .closed else { return true }
        guard connection.output.isEmpty else {
            connection.output.append(bytes)
            return false
        }
        switch connection.output.sendFirst(bytes, to: connection.descriptor) {
        case .drained: return true
        case .blocked:
            connection.updateWatching()
            return false
        case .failed:
            shut(connection)
            return true
        }
    }

    /// Returns the number of bytes queued for a peer; 0 if the connection is gone.
    package func unsentCount(_ id: ConnectionID) -> Int { connections[id]?.output.count ?? 0 }

    /// The most bytes of one read, with a minimum of `leastRead`; nil: the size of the buffer.
    package var mostRead: Int?

    /// Stops reading a connection until `resumeReading`; its input stays in the socket.
    package func pauseReading(_ id: ConnectionID) { setPaused(id, true) }

    /// Reads a connection again after `pauseReading`.
    package func resumeReading(_ id: ConnectionID) { setPaused(id, false) }

    /// Closes in order: sends the queued output, shuts our direction, drops a little of the further input, closes.
    ///
    /// - Parameter lingers: false to close without waiting if the peer has sent nothing more.
    package func finish(_ id: ConnectionID, lingers: Bool) {
        guard let connection = connections[id], connection.phase == .open else { return }
        connection.security?.session.close { put($0, connection) }
        guard connection.phase == .open else { return }
        endingCount += 1
        connection.phase = .finishing(deadline: handles.now + Reactor.finishTime, lingers: lingers)
        if connection.output.isEmpty { outputIsGone(connection) }
        connection.updateWatching()
    }

    /// Closes a connection at once; its queued output is lost.
    package func close(_ id: ConnectionID) {
        if let connection = connections[id] { shut(connection) } else { dials.end(id) }
    }

    /// Makes the next poll return at once: there is work left for the next turn.
    package func requestTurn() { if !isStopping { handles.startIdling() } }

    /// Makes the next turn end at most the given number of nanoseconds from now; replaces an earlier request.
    package func requestTurn(within nanoseconds: UInt64) { if !isStopping { handles.alarm.set(nanoseconds) } }

    /// Stops accepting clients, and removes the socket's file if it is still ours.
    package func stopListening() {
        for listener in listeners { listener.end() }
        listeners = []
    }

    /// Closes everything, so that `run` returns.
    package func stop() {
        guard !isStopping else { return }
        isStopping = true
        closeEverything()
    }

    private func closeEverything() {
        stopListening()
        waker.attach(nil)
        connections.forEach(shut)
        dials.endAll()
        handles.closeAll()
    }

    private func setPaused(_ id: ConnectionID, _ isPaused: Bool) {
        guard let connection = connections[id] else { return }
        connection.isPaused = isPaused
        connection.updateWatching()
    }

    func shut(_ connection: SocketConnection) {
        guard connection.phase != .closed else { return }
        if connection.phase != .open { endingCount -= 1 }
        if case .handshaking = connection.phase { secure.handshakes.ended(connection.id) }
        connection.phase = .closed
        connection.output.removeAll()
        // The handle is closed before the descriptor: that takes it from the loop, and the number may be another
        // client's right after.
        uv_close(connection.handle.base, Callbacks.connectionIsClosed)
        Glibc.close(connection.descriptor)
    }

    func outputIsGone(_ connection: SocketConnection) {
        guard case .finishing(_, let lingers) = connection.phase else {
            if connection.phase == .open { handler?.outputDrained(connection.id) }
            return
        }
        if connection.isAtEnd || shutdown(connection.descriptor, Int32(SHUT_WR)) != 0 { return shut(connection) }
        // Our bytes stay in the peer's socket, and its further input is refused instead of dropped.
        if !lingers, !connection.isInputWaiting { return shut(connection) }
        connection.phase = .lingering(deadline: handles.now + Reactor.lingerTime, budget: Reactor.lingerBytes)
    }
}

// The events of the loop.
extension Reactor {
    func becameReady(_ connection: SocketConnection, status: Int32, events: Int32) {
        if status < 0 {
            // The peer is gone and left bytes of ours unread; its own bytes can still be read, down to the error.
            connection.watchingStopped()
            if connection.wantsInput { read(connection) } else { shut(connection) }
        } else {
            if events & Int32(UV_WRITABLE.rawValue) != 0 { flush(connection) }
            if events & Int32(UV_READABLE.rawValue) != 0, connection.wantsInput { read(connection) }
        }
        connection.updateWatching()
    }

    func closed(_ connection: SocketConnection) {
        connections.release(connection.id)
        connection.handle.deallocate()
        if connection.isReported { handler?.connectionClosed(connection.id) }
        requestTurn()
    }

    private func read(_ connection: SocketConnection) {
        if case .handshaking = connection.phase, !secure.handshakes.mayGoOn() { return }
        let left = min((Reactor.turnBytes - bytesOfTurn) / 16, mostRead ?? readBuffer.count, readBuffer.count)
        let size = max(Reactor.leastRead, left)
        guard let count = connection.read(into: UnsafeMutableRawBufferPointer(rebasing: readBuffer[..<size])) else {
            return
        }
        guard count >= 0 else { return shut(connection) }
        bytesOfTurn += count
        let bytes = UnsafeRawBufferPointer(rebasing: readBuffer[..<count])
        switch connection.phase {
        case .handshaking, .open:
            if connection.remote != nil {
                // An end that the peer did not announce may have been made by others, and cut a line short.
                if count == 0 { shut(connection) } else { secure.received(bytes, connection, in: self) }
            } else if count == 0 {
                connection.isAtEnd = true
                handler?.peerClosed(connection.id)
            } else {
                handler?.bytesReceived(connection.id, bytes)
            }
        case .finishing: connection.isAtEnd = count == 0
        case .lingering(let deadline, let budget):
            if count == 0 || count > budget { return shut(connection) }
            connection.phase = .lingering(deadline: deadline, budget: budget - count)
        case .closed: break
        }
    }

    private func flush(_ connection: SocketConnection) {
        let before = connection.output.count
        guard before > 0 else { return }
        switch connection.output.flush(to: connection.descriptor) {
        case .drained: outputIsGone(connection)
        case .failed: shut(connection)
        case .blocked:
            guard case .finishing(_, let lingers) = connection.phase, connection.output.count < before else { return }
            connection.phase = .finishing(deadline: handles.now + Reactor.finishTime, lingers: lingers)
        }
    }
}
