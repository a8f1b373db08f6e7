import CUV
import Glibc

/// Outbound connections to Unix sockets.
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
        add(Connection(id: id, descriptor: descriptor, handle: handle))
        return id
    }

    /// Puts a connection in the slot of its ID, and begins to read it.
    func add(_ connection: Connection) {
        connection.handle.pointee.data = Unmanaged.passUnretained(connection).toOpaque()
        connections.insert(connection)
        connection.updateWatching()
    }
}
