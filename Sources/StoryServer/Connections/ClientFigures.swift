import StoryCore
import StoryReactor

/// The counters of one client since it connected, for `CLIENTS`.
struct ClientFigures {
    /// The connection's number: 1, 2, 3 … in the order of connecting.
    var number: UInt64 = 0
    /// The process ID of the client; 0 where the kernel does not report it.
    var pid: Int32 = 0
    /// The certificate of a client on another machine.
    var certificate: PeerCredentials.Certificate?
    /// When the client connected.
    var since = Instant(milliseconds: 0)
    /// When the client connected, in ticks of 0.1 s.
    var beganTick: UInt64 = 0
    /// When a line was last handled, in ticks of 0.1 s.
    var lastLine: UInt64 = 0
    private(set) var requests: UInt64 = 0
    var errors: UInt64 = 0
    /// The bytes received from the client, and the bytes handed to its socket.
    var received: UInt64 = 0
    var sent: UInt64 = 0
    /// The verb of the last request that could be read; nil before the first one.
    private(set) var verb: Verb?

    init() {}

    init(number: UInt64, _ credentials: PeerCredentials, since: Instant, at tick: UInt64) {
        (self.number, pid, self.since, beganTick) = (number, credentials.pid, since, tick)
        certificate = credentials.certificate
    }

    /// Counts a request.
    ///
    /// - Parameter verb: its verb; nil where the line could not be read, or the client was refused as a whole.
    mutating func asked(_ verb: Verb?) {
        requests += 1
        if let verb { self.verb = verb }
    }
}
