import CUV
import Glibc
import StoryNetwork

/// A listening socket that the parent process passed on, as systemd does (sd_listen_fds(3)).
package struct InheritedSocket {
    /// The first descriptor that is passed on.
    private static let first: Int32 = 3

    let descriptor: Int32
    /// The path that clients connect to.
    package let path: String

    /// Takes the socket that was passed to this process; nil if there is none.
    ///
    /// - Parameter environment: returns the value of a variable; nil if it is not set.
    /// - Throws: `.inheritedNotFit` unless it is exactly one listening Unix stream socket; `.refused` by the system.
    package init?(_ environment: (String) -> String?) throws(ReactorError) {
        guard environment("LISTEN_PID") == String(getpid()), let text = environment("LISTEN_FDS"), text != "0" else {
            return nil
        }
        guard text == "1", let path = InheritedSocket.path(InheritedSocket.first) else { throw .inheritedNotFit(text) }
        descriptor = InheritedSocket.first
        self.path = path
        // Child processes must not inherit the descriptor, and accepting must not block.
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0,
            fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0
        else { throw .refused(call: "fcntl", path: path, code: errno) }
    }

    /// Returns the path of a socket; nil if it is not a listening Unix stream socket.
    private static func path(_ descriptor: Int32) -> String? {
        guard StreamSocket.option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue),
            StreamSocket.option(SO_ACCEPTCONN, of: descriptor) == 1
        else { return nil }
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let code = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard code == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
        let count = max(0, Int(length) - MemoryLayout<sa_family_t>.size)
        return withUnsafeBytes(of: address.sun_path) { bytes in
            let path = bytes.prefix(count).prefix { $0 != 0 }
            return String(validating: path, as: UTF8.self) ?? "(a path that is not UTF-8)"
        }
    }
}
