import Glibc
import StoryCore
import StoryNetwork

/// Sockets that connect to a TCP port without waiting.
enum OutboundSocket {
    /// Begins to connect a new socket, which sends small messages at once and notices a peer that is gone.
    ///
    /// - Returns: the descriptor, or the system's error.
    static func connect(to address: ResolvedAddress) -> Result<Int32, SystemCode> {
        let descriptor = StreamSocket.make(address.family)
        guard descriptor >= 0 else { return .failure(SystemCode(errno)) }
        setOptions(of: descriptor)
        guard address.withPointer({ Glibc.connect(descriptor, $0, $1) }) == 0 || errno == EINPROGRESS else {
            let code = errno
            close(descriptor)
            return .failure(SystemCode(code))
        }
        return .success(descriptor)
    }

    /// Returns the result of connecting, once the socket is writable: nil where it is connected.
    static func failure(of descriptor: Int32) -> SystemCode? {
        guard let code = StreamSocket.option(SO_ERROR, of: descriptor) else { return SystemCode(errno) }
        if code != 0 { return SystemCode(code) }
        // A local port that nobody listens on may be given to the socket itself, which then connects to itself.
        guard let own = StreamSocket.address(of: descriptor, peer: false)?.text else { return nil }
        return own == StreamSocket.address(of: descriptor, peer: true)?.text ? SystemCode(ECONNREFUSED) : nil
    }

    /// Sends small messages at once, and notices a peer that is gone after some 20 seconds: by probes while nothing is
    /// sent, else by missing acknowledgements.
    private static func setOptions(of descriptor: Int32) {
        let tcp = Int32(IPPROTO_TCP)
        StreamSocket.set(descriptor, SOL_SOCKET, option: SO_KEEPALIVE, to: 1)
        StreamSocket.set(descriptor, tcp, option: TCP_NODELAY, to: 1)
        StreamSocket.set(descriptor, tcp, option: TCP_KEEPIDLE, to: 10)
        StreamSocket.set(descriptor, tcp, option: TCP_KEEPINTVL, to: 5)
        StreamSocket.set(descriptor, tcp, option: TCP_KEEPCNT, to: 2)
        StreamSocket.set(descriptor, tcp, option: TCP_USER_TIMEOUT, to: 20_000)
    }
}

/// An error number of the system.
struct SystemCode: Error, Equatable {
    private let code: Int32

    init(_ code: Int32) { self.code = code }

    var text: String { String(cString: strerror(code)) }
}
