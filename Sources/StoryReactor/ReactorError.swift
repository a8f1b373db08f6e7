import Glibc

/// An error of making a reactor or of listening; each description says what to do next.
package enum ReactorError: Error, Equatable, Sendable {
    /// The path does not fit a socket's address.
    case pathTooLong(String, bytes: Int)
    /// There is no path, or one with a NUL in it.
    case pathMalformed
    /// Something else than a socket is at the path; it was left alone.
    case notASocket(String)
    /// A process accepts connections at the path; it was left alone.
    case anotherServerAnswers(String)
    /// Other users could put a socket of their own in this directory, or own the directory.
    case directoryNotSafe(String)
    /// The inherited descriptors are not one listening Unix stream socket; the value is their number.
    case inheritedNotFit(String)
    /// The system refused a call.
    case refused(call: String, path: String, code: Int32)
    /// The host and port cannot be listened at.
    case refusedPort(String, reason: String)
    /// The event loop could not be set up.
    case loop(code: Int32)
}

extension ReactorError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .pathTooLong(let path, let bytes):
            "the socket path \(path) has \(bytes) bytes, and the system takes \(SocketAddress.longestPath); "
                + "choose a shorter one with --socket"
        case .pathMalformed:
            "the socket path is empty or has a NUL byte in it; choose another with --socket"
        case .notASocket(let path):
            "\(path) exists and is not a socket; move it away or choose another path with --socket"
        case .anotherServerAnswers(let path):
            "another server answers there: \(path); stop it first or choose another path with --socket"
        case .directoryNotSafe(let path):
            "others may write to the socket's directory \(path); make it 0700 and yours, or choose another path"
        case .inheritedNotFit(let count):
            "LISTEN_FDS=\(count): what listens for this daemon is to be one Unix stream socket; see its socket unit"
        case .refused(let call, let path, let code):
            "\(call) failed for \(path): \(String(cString: strerror(code))); check the path and its permissions"
        case .refusedPort(let address, let reason):
            "listen: \(address) cannot be listened at: \(reason); name an address of this machine and a free port"
        case .loop(let code):
            "the event loop could not be made: \(String(cString: strerror(-code))); check the limit of open files"
        }
    }
}
