/// The connections that something is to be done for, in the order in which they have their shares of a turn.
///
/// Those that had no share since they rested come first: deficit round robin with new flows first, as RFC 8290 has it
/// for packets. So who asks for little waits for the shares of others, never for all that they want.
struct ShareQueue {
    /// As which list of the loop a connection knows this queue.
    private let list: Connection.Lists
    private var rested = FIFO<Connection>()
    private var served = FIFO<Connection>()

    init(_ list: Connection.Lists) { self.list = list }

    /// How many wait for a share.
    var count: Int { rested.count + served.count }

    /// How many of them had none since they rested.
    var restedCount: Int { rested.count }

    /// True while the connection waits for a share.
    func isWaiting(_ connection: Connection) -> Bool { connection.listed.contains(list) }

    /// The connection wants a share.
    ///
    /// - Parameter hadShare: whether it had its share, so that others have theirs first.
    mutating func add(_ connection: Connection, hadShare: Bool) {
        guard !isWaiting(connection) else { return }
        connection.listed.insert(list)
        if hadShare { served.append(connection) } else { rested.append(connection) }
    }

    /// Takes out the connection that has its share now; nil when there is none.
    ///
    /// - Parameter restedFirst: false where it is the turn of those who had one before.
    mutating func next(restedFirst: Bool) -> Connection? {
        let connection = restedFirst ? rested.next() ?? served.next() : served.next() ?? rested.next()
        connection?.listed.remove(list)
        return connection
    }
}
