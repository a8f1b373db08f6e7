import StoryCore
import StoryReactor

/// The figures of one client since it connected, for `CLIENTS`.
struct ClientFigures {
    /// The connection's number: how many there were up to it.
    var number: UInt64 = 0
    /// The process at the other end; 0 where the kernel does not tell.
    var pid: Int32 = 0
    /// When it connected.
    var since = Instant(milliseconds: 0)
    /// The same in ticks.
    var beganTick: UInt64 = 0
    private(set) var requests: UInt64 = 0
    private(set) var errors: UInt64 = 0
    /// Bytes that it sent, and those that were handed to its socket.
    private(set) var received: UInt64 = 0
    private(set) var sent: UInt64 = 0
    /// The verb of its last request; nil before the first one.
    private(set) var verb: Verb?

    init() {}

    init(number: UInt64, _ credentials: PeerCredentials, since: Instant, at tick: UInt64) {
        (self.number, pid, self.since, beganTick) = (number, credentials.pid, since, tick)
    }

    /// A request of it was taken up.
    mutating func asked(_ verb: Verb) {
        requests += 1
        self.verb = verb
    }

    /// It was answered with an error.
    mutating func failed() { errors += 1 }

    mutating func received(_ count: Int) { received += UInt64(count) }
    mutating func sent(_ count: Int) { sent += UInt64(count) }
}
