import Glibc
import StoryCore

/// Sockets of TCP that do not block and are closed on exec.
package enum StreamSocket {
    /// The seconds until a silent connection is asked whether its peer is there, and between two such questions.
    private static let keepAlive: (idle: Int32, interval: Int32, count: Int32) = (30, 10, 3)

    /// The bytes that the kernel keeps of a connection besides those on their way: the rest waits where it is counted.
    private static let mostUnsent: Int32 = 131_072

    /// Makes a socket; −1 with errno on failure.
    package static func make(_ family: Int32) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        return socket(family, kind, Int32(IPPROTO_TCP))
    }

    /// Has small writes leave at once, and a peer that is gone noticed.
    package static func prepare(_ descriptor: Int32) {
        set(descriptor, Int32(IPPROTO_TCP), option: TCP_NODELAY, to: 1)
        set(descriptor, Int32(IPPROTO_TCP), option: TCP_NOTSENT_LOWAT, to: mostUnsent)
        set(descriptor, SOL_SOCKET, option: SO_KEEPALIVE, to: 1)
        set(descriptor, Int32(IPPROTO_TCP), option: TCP_KEEPIDLE, to: keepAlive.idle)
        set(descriptor, Int32(IPPROTO_TCP), option: TCP_KEEPINTVL, to: keepAlive.interval)
        set(descriptor, Int32(IPPROTO_TCP), option: TCP_KEEPCNT, to: keepAlive.count)
    }

    /// Binds and listens.
    ///
    /// - Parameters:
    ///   - isAlone: whether an IPv6 socket leaves IPv4 to another one.
    ///   - backlog: the number of clients that may wait to be accepted.
    /// - Returns: the descriptor, or −1 with errno.
    package static func listen(_ address: ResolvedAddress, isAlone: Bool, backlog: Int32) -> Int32 {
        let descriptor = make(address.family)
        guard descriptor >= 0 else { return -1 }
        set(descriptor, SOL_SOCKET, option: SO_REUSEADDR, to: 1)
        if address.family == AF_INET6 { set(descriptor, Int32(IPPROTO_IPV6), option: IPV6_V6ONLY, to: isAlone ? 1 : 0) }
        guard address.withPointer({ bind(descriptor, $0, $1) }) == 0, Glibc.listen(descriptor, backlog) == 0 else {
            let code = errno
            close(descriptor)
            errno = code
            return -1
        }
        return descriptor
    }

    /// Returns the address that a socket is bound to, or that of its peer; nil where it has none.
    package static func address(of descriptor: Int32, peer: Bool) -> ResolvedAddress? {
        var storage = sockaddr_storage()
        var count = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let code = peer ? getpeername(descriptor, address, &count) : getsockname(descriptor, address, &count)
                guard code == 0 else { return nil }
                return ResolvedAddress(address, count, family: Int32(address.pointee.sa_family))
            }
        }
    }

    /// Returns an option of a socket; nil where the system does not tell.
    package static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }

    /// Sets an option of a socket.
    package static func set(_ descriptor: Int32, _ level: Int32, option name: Int32, to value: Int32) {
        var value = value
        setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}
