import CUV
import Glibc

/// The address of a Unix socket, made of a path, for `bind` and `connect`.
package struct SocketAddress {
    /// The longest path, in bytes: the address has 108 and one is the NUL.
    package static let longestPath = 107

    private let path: String
    private var address = sockaddr_un()

    init(path: String) throws(ReactorError) {
        self.path = path
        let bytes = Array(path.utf8)
        guard !bytes.isEmpty, !bytes.contains(0) else { throw .pathMalformed }
        guard bytes.count <= SocketAddress.longestPath else { throw .pathTooLong(path, bytes: bytes.count) }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    }

    /// Calls `bind`; returns 0, or −1 with errno.
    func bind(_ descriptor: Int32) -> Int32 { withPointer { Glibc.bind(descriptor, $0, $1) } }

    /// Calls `connect`; returns 0, or −1 with errno.
    func connect(_ descriptor: Int32) -> Int32 { withPointer { Glibc.connect(descriptor, $0, $1) } }

    /// Returns the descriptor of a socket that is connected. A Unix socket connects at once or not at all.
    ///
    /// - Throws: `.refused` where nobody listens at the path, where too many wait there, or where the system has no
    ///   descriptor.
    func connected() throws(ReactorError) -> Int32 {
        let descriptor = try socket()
        guard connect(descriptor) == 0 else {
            let code = errno
            Glibc.close(descriptor)
            throw .refused(call: "connect", path: path, code: code)
        }
        return descriptor
    }

    /// Makes a Unix socket that does not block.
    func socket() throws(ReactorError) -> Int32 {
        let descriptor = storykeep_socket()
        guard descriptor >= 0 else { throw .refused(call: "socket", path: path, code: errno) }
        return descriptor
    }

    private func withPointer(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
