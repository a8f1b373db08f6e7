import CUV
import Glibc

/// Outbound connections to Unix sockets.
extension Reactor {
    /// Connects to a Unix socket without waiting. The connection is served like that of a client, but its beginning is not
    /// reported to the handler.
    ///
    /// - Throws: `.refused` where nobody listens at the path, where too many wait there, or where the system has no
    ///   descriptor; the error of a path that is no address.
    package func connect(to path: String) throws(ReactorError) -> ConnectionID {
        let address = try SocketAddress(path: path)
        let flags = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, flags, 0)
        guard descriptor >= 0 else { throw .refused(call: "socket", path: path, code: errno) }
        // A Unix socket connects at once or not at all.
        guard address.connect(descriptor) == 0 else {
            let code = errno
            Glibc.close(descriptor)
            throw .refused(call: "connect", path: path, code: code)
        }
        guard let id = watch(descriptor) else { throw .refused(call: "epoll_ctl", path: path, code: ENOMEM) }
        return id
    }

    /// Adds a connected socket to the loop; closes it and returns nil where the loop has no room for it.
    func watch(_ descriptor: Int32) -> ConnectionID? {
        let handle = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
        guard let id = connections.reserve() else {
            handle.deallocate()
            Glibc.close(descriptor)
            return nil
        }
        guard handles.watch(handle, descriptor) else {
            connections.release(id)
            handle.deallocate()
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
