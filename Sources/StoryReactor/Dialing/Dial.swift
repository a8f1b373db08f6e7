import CUV
import Glibc
import StoryCore
import StoryNetwork

/// An outbound TCP connection that is not made yet.
///
/// Its addresses are tried one after the other, each for at most `Dial.addressTime`.
final class Dial {
    /// The limit of looking up a name, and of connecting to one address, in milliseconds.
    static let lookupTime: UInt64 = 5_000
    static let addressTime: UInt64 = 2_000

    /// The phase of the dial.
    enum Phase {
        /// The name is looked up, or the next address is tried.
        case lookingUp
        /// A socket waits for the peer.
        case connecting(Int32, UnsafeMutablePointer<uv_poll_t>)
        /// It failed, or was given up: the handler learns that at the end of the turn.
        case ended
    }

    private weak var dials: Dials?
    let id: ConnectionID
    let host: String
    var phase = Phase.lookingUp
    /// The addresses that were not tried yet, the next one last.
    var addresses: [ResolvedAddress] = []
    /// The time at which the phase has taken too long, in milliseconds.
    var deadline: UInt64
    /// The last failure.
    var reason = "it was given up"

    init(_ id: ConnectionID, host: String, deadline: UInt64, in dials: Dials) {
        (self.id, self.host, self.deadline, self.dials) = (id, host, deadline, dials)
    }

    /// The callback of libuv for a socket that is connected, or is not.
    static let isReady: uv_poll_cb = { handle, _, _ in
        guard let data = handle?.pointee.data else { return }
        let dial = Unmanaged<Dial>.fromOpaque(data).takeUnretainedValue()
        dial.dials?.becameReady(dial)
    }

    /// Closes the socket that connects, if there is one.
    func closeSocket() {
        guard case .connecting(let descriptor, let handle) = phase else { return }
        phase = .lookingUp
        // Before the descriptor, as the reactor does with those of connections.
        uv_close(handle.base) { $0?.deallocate() }
        Glibc.close(descriptor)
    }
}

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
