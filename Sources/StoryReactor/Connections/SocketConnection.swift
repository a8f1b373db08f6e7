import CUV
import Glibc
import StoryCore
import StoryNetwork

/// The connection of one client: its descriptor, the events that the loop watches for, and the output queue.
///
/// libuv's poll handle only watches. Reads and writes are plain system calls, since libuv's streams read until nothing
/// is left and write without a choice of the flags, while this needs one call of each per turn.
final class SocketConnection {
    /// The phase of the connection, from open to closed.
    enum Phase: Equatable {
        /// The handshake of TLS is under way, until the deadline in milliseconds.
        case handshaking(deadline: UInt64)
        case open
        /// Sends the queued output and drops input; given up if the peer takes nothing until the deadline, in
        /// milliseconds.
        case finishing(deadline: UInt64, lingers: Bool)
        /// Our direction is shut: drops up to `budget` bytes of input, until the deadline in milliseconds, so that the
        /// peer can read our last line.
        case lingering(deadline: UInt64, budget: Int)
        case closed
    }

    /// The TLS of a connection from another machine.
    struct Security {
        let session: TLSSession
        /// The address of the peer, as text.
        let from: String
        /// The certificates by which the peer was accepted.
        var acceptedBy: TLSContext
    }

    /// The other machine of a connection.
    final class Remote {
        let host: RemoteHost
        private let address: ResolvedAddress?

        init(_ address: ResolvedAddress?) { (self.address, host) = (address, address?.host ?? .unknown) }

        /// The address as text.
        var text: String { address?.text?.description ?? "unknown" }
    }

    let id: ConnectionID
    let descriptor: Int32
    let handle: UnsafeMutablePointer<uv_poll_t>
    var phase = Phase.open
    var output = OutputQueue()
    /// Nil for a Unix socket.
    var remote: Remote?
    /// Nil for a Unix socket, and before the first byte of another machine.
    var security: Security?
    /// True where the handler knows the connection.
    var isReported = true
    /// True once the peer sends no more.
    var isAtEnd = false
    var isPaused = false
    private var watched: Int32 = 0

    init(id: ConnectionID, descriptor: Int32, handle: UnsafeMutablePointer<uv_poll_t>) {
        self.id = id
        self.descriptor = descriptor
        self.handle = handle
    }

    /// True while input is read, if only to drop it.
    var wantsInput: Bool {
        guard !isAtEnd else { return false }
        switch phase {
        case .open: return !isPaused
        case .handshaking, .finishing, .lingering: return true
        case .closed: return false
        }
    }

    /// The time at which the connection is closed at the latest, in milliseconds; nil while that is open.
    var deadline: UInt64? {
        switch phase {
        case .open, .closed: nil
        case .handshaking(let deadline), .finishing(let deadline, _), .lingering(let deadline, _): deadline
        }
    }

    /// Notes that the loop stopped watching by itself, as it does after an error.
    func watchingStopped() { watched = 0 }

    /// Changes the events that the loop watches for, if need be.
    func updateWatching() {
        guard phase != .closed else { return }
        var wanted: Int32 = wantsInput ? Int32(UV_READABLE.rawValue) : 0
        if !output.isEmpty { wanted |= Int32(UV_WRITABLE.rawValue) }
        guard wanted != watched else { return }
        watched = wanted
        // It fails for a closing handle or one whose descriptor another handle watches: bugs of ours.
        let result = uv_poll_start(handle, wanted, Callbacks.connectionIsReady)
        precondition(result == 0, "uv_poll_start of a connection failed with \(result)")
    }

    /// True if no input is read and the peer has closed both directions; it may have sent something before.
    ///
    /// A connection that is read gets the end of the input anyway. The event of a peer that sends no more (EPOLLRDHUP)
    /// also comes for a peer that still reads, and would come again and again.
    var isAbandoned: Bool {
        guard phase == .open, !wantsInput else { return false }
        var asked = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&asked, 1, 0) > 0 && asked.revents & Int16(POLLHUP | POLLERR) != 0
    }

    /// True if there is input that was not read.
    var isInputWaiting: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }

    /// Reads once and returns the number of bytes; 0 at the end, nil if there is nothing now, −1 if the connection is
    /// broken.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count >= 0 { return count }
            if errno == EAGAIN { return nil }
            if errno != EINTR { return -1 }
        }
    }
}
