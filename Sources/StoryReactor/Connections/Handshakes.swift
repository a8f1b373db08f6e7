/// The handshakes of TLS that are under way, and their limits: each costs a millisecond, and a peer may never end it.
struct Handshakes {
    /// The most handshakes at once; further clients wait in the backlog.
    static let most = 256
    /// The most handshakes that go on in one turn; the bytes of the others wait in their sockets.
    static let inOneTurn = 4
    /// The time in milliseconds that a handshake may take.
    static let longest: UInt64 = 10_000
    /// The time in milliseconds that it may take while there are too many.
    static let longestWhenFull: UInt64 = 1_000

    /// The number of handshakes under way.
    private(set) var count = 0
    private var leftInTurn = inOneTurn

    var isFull: Bool { count >= Handshakes.most }

    mutating func began() { count += 1 }
    mutating func ended() { count -= 1 }

    /// Counts a step of a handshake; false where the turn has had its steps.
    mutating func mayGoOn() -> Bool {
        guard leftInTurn > 0 else { return false }
        leftInTurn -= 1
        return true
    }

    mutating func turnEnded() { leftInTurn = Handshakes.inOneTurn }
}
