import CUV
import Glibc
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
