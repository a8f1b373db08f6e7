import CUV
import Glibc

/// One client: its descriptor, what the loop watches it for, and what waits to be written to it.
///
/// libuv's poll handle watches; reading and writing are plain calls here, because libuv's streams read until nothing
/// is left and write without a say in the flags, where this needs one call for each a turn.
final class Connection {
    /// How far the end has come.
    enum Phase: Equatable {
        case open
        /// Sends what waits, drops what comes; given up when nothing moves until the deadline.
        case finishing(deadline: UInt64, lingers: Bool)
        /// Our direction is shut: drops so many bytes more, until the deadline, so that the peer can read our last line.
        case lingering(deadline: UInt64, budget: Int)
        case closed
    }

    let id: ConnectionID
    let descriptor: Int32
    let handle: UnsafeMutablePointer<uv_poll_t>
    @exclusivity(unchecked) var phase = Phase.open
    @exclusivity(unchecked) var output = OutputQueue()
    /// The peer will send no more.
    var isAtEnd = false
    var isPaused = false
    private var watched: Int32 = 0

    init(id: ConnectionID, descriptor: Int32, handle: UnsafeMutablePointer<uv_poll_t>) {
        self.id = id
        self.descriptor = descriptor
        self.handle = handle
    }

    /// True while what arrives is wanted, if only to drop it.
    var wantsInput: Bool {
        guard !isAtEnd else { return false }
        switch phase {
        case .open: return !isPaused
        case .finishing, .lingering: return true
        case .closed: return false
        }
    }

    /// The loop stopped watching of its own accord, as it does after an error.
    func watchingStopped() { watched = 0 }

    /// Tells the loop what to watch for, if that has changed.
    func updateWatching() {
        guard phase != .closed else { return }
        var wanted: Int32 = wantsInput ? Int32(UV_READABLE.rawValue) : 0
        if !output.isEmpty { wanted |= Int32(UV_WRITABLE.rawValue) }
        guard wanted != watched else { return }
        watched = wanted
        // It fails for a closing handle or one whose descriptor another handle watches: bugs of ours.
        let result = uv_poll_start(handle, wanted, Reactor.connectionIsReady)
        precondition(result == 0, "a connection's handle must be watchable until it is closed")
    }

    /// True where nothing is read, and the peer has closed its end both ways; it may have sent something before.
    ///
    /// A connection that is read from meets the end of what was sent. The event of a peer that
    /// sends no more (EPOLLRDHUP) comes also for one that still reads, and would come again and again.
    var isAbandoned: Bool {
        guard phase == .open, !wantsInput else { return false }
        var asked = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&asked, 1, 0) > 0 && asked.revents & Int16(POLLHUP | POLLERR) != 0
    }

    /// True when the peer sent something that was not read.
    var isInputWaiting: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }

    /// Reads once; the count, 0 at the end, nil when there is nothing now, −1 when the connection is broken.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count >= 0 { return count }
            if errno == EAGAIN { return nil }
            if errno != EINTR { return -1 }
        }
    }
}
