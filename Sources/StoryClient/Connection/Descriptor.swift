#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file descriptor that is closed with its owner, with calls that do not fail when a signal interrupts them.
struct Descriptor: ~Copyable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    /// Connects a new socket to a store at a path.
    ///
    /// - Parameters:
    ///   - owner: the user ID that must run the store, unless root does; nil: any user.
    ///   - waits: false if connecting must not wait for a listener that is slow to accept.
    /// - Throws: `ClientError.unreachable`.
    init(connectedTo path: String, owner: UInt32?, waits: Bool = true) throws(ClientError) {
        let bytes = Array(path.utf8)
        guard (1...Platform.longestPath).contains(bytes.count), !bytes.contains(0) else {
            throw .unreachable(
                path: path, reason: "a socket's path has 1 to \(Platform.longestPath) bytes, this one \(bytes.count)")
        }
        let number = Platform.streamSocket()
        guard number >= 0 else { throw .unreachable(path: path, reason: reason(errno)) }
        if !waits { _ = fcntl(number, F_SETFL, O_NONBLOCK) }
        guard Platform.connectSocket(number, bytes) == 0 else {
            let code = errno
            close(number)
            throw .unreachable(path: path, reason: reason(code))
        }
        if let owner, let server = Platform.peer(of: number), server != owner, server != 0 {
            close(number)
            throw .unreachable(
                path: path,
                reason: "user \(server) runs what answers there, not you; if that is meant, name the socket yourself")
        }
        self.number = number
    }

    deinit { close(number) }

    /// Sends the bytes that the kernel accepts now; returns their count, or nil when it accepts none.
    borrowing func send(_ bytes: UnsafeRawBufferPointer) throws(ClientError) -> Int? {
        let sent = Platform.sendBytes(number, bytes)
        if sent >= 0 { return sent }
        switch errno {
        case EAGAIN, EINTR: return nil
        case EPIPE, ECONNRESET: throw .connectionLost
        default: throw .system(call: "send", reason: reason(errno))
        }
    }

    /// Reads the available bytes; returns their count, 0 at the end, or nil when there are none now.
    borrowing func receive(_ buffer: UnsafeMutableRawBufferPointer) throws(ClientError) -> Int? {
        let count = recv(number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        if count >= 0 { return count }
        switch errno {
        case EAGAIN, EINTR: return nil
        case ECONNRESET: return 0
        default: throw .system(call: "recv", reason: reason(errno))
        }
    }
}
