/// The connections with lines that nobody took up yet, in the order in which they have their shares of a turn.
///
/// Those that had no share since they rested come first: deficit round robin with new flows first, as RFC 8290 has it
/// for packets. So who asks for little waits for the shares of others, never for all that they sent.
struct RequestQueue {
    private var rested = Queue()
    private var served = Queue()

    /// First in, first out; a turn takes from the front, and the room is given back when it ends.
    private struct Queue {
        private var connections: [Connection] = []
        private var taken = 0

        var count: Int { connections.count - taken }

        mutating func append(_ connection: Connection) { connections.append(connection) }

        mutating func next() -> Connection? {
            guard count > 0 else { return nil }
            defer { taken += 1 }
            return connections[taken]
        }

        mutating func turnEnded() {
            guard taken > 0 else { return }
            connections.removeFirst(taken)
            taken = 0
        }
    }

    /// How many wait for a share.
    var count: Int { rested.count + served.count }

    /// The connection has lines to be taken up.
    ///
    /// - Parameter hadShare: whether it had its share, so that others have theirs first.
    mutating func add(_ connection: Connection, hadShare: Bool) {
        guard !connection.listed.contains(.requests) else { return }
        connection.listed.insert(.requests)
        if hadShare { served.append(connection) } else { rested.append(connection) }
    }

    /// Takes out the connection that has its share now; nil when there is none.
    ///
    /// - Parameter restedFirst: false where it is the turn of those who had one before.
    mutating func next(restedFirst: Bool) -> Connection? {
        let connection = restedFirst ? rested.next() ?? served.next() : served.next() ?? rested.next()
        connection?.listed.remove(.requests)
        return connection
    }

    mutating func turnEnded() {
        rested.turnEnded()
        served.turnEnded()
    }
}
