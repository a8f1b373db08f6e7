import Glibc

/// A write that continues until all bytes are written, even if another program made the descriptor non-blocking.
enum WholeWrite {
    /// Writes the bytes, and waits while the descriptor accepts none.
    ///
    /// - Parameter each: takes the number of bytes that each call wrote.
    /// - Returns: the errno; nil once all bytes are written.
    static func run(_ bytes: [UInt8], to descriptor: Int32, _ each: (Int) -> Void = { _ in }) -> Int32? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 {
                rest = rest.dropFirst(written)
                each(written)
            } else if errno == EAGAIN {
                // An error or a hang-up ends the wait as well, and the next write reports it.
                var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&room, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }
}
