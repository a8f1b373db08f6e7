import Glibc

/// A descriptor that is closed with its owner, and the calls on it that do not stop at a signal.
struct Descriptor: ~Copyable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    deinit { close(number) }

    /// Sends what the kernel takes now: the count, or nil when it takes none.
    borrowing func send(_ bytes: UnsafeRawBufferPointer) throws(StoreError) -> Int? {
        let sent = Glibc.send(number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        if sent >= 0 { return sent }
        switch errno {
        case EAGAIN, EINTR: return nil
        case EPIPE, ECONNRESET: throw .closed
        default: throw .system(call: "send", reason: reason(errno))
        }
    }

    /// Reads what is there: the count, 0 at the end, or nil when there is nothing now.
    borrowing func receive(_ buffer: UnsafeMutableRawBufferPointer) throws(StoreError) -> Int? {
        let count = recv(number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        if count >= 0 { return count }
        switch errno {
        case EAGAIN, EINTR: return nil
        case ECONNRESET: return 0
        default: throw .system(call: "recv", reason: reason(errno))
        }
    }
}

/// What the system calls an error.
func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
