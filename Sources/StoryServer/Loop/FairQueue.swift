/// A fair queue of connections that wait for their shares of a turn.
///
/// Connections that had no share since they were idle come first: deficit round robin with new flows first, as RFC 8290
/// has it for packets. So an interactive client waits for the shares of others, never for all of their work.
struct FairQueue {
    /// The flag that marks a connection as being in this queue.
    private let list: Connection.Lists
    private var rested = FIFO<Connection>()
    private var served = FIFO<Connection>()

    init(_ list: Connection.Lists) { self.list = list }

    /// The number of connections that wait for a share.
    var count: Int { rested.count + served.count }

    /// The number of waiting connections that had no share since they were idle.
    var restedCount: Int { rested.count }

    /// Returns true while the connection waits for a share.
    func isWaiting(_ connection: Connection) -> Bool { connection.listed.contains(list) }

    /// Adds a connection that wants a share.
    ///
    /// - Parameter hadShare: whether it just had a share, so that others come first.
    mutating func add(_ connection: Connection, hadShare: Bool) {
        guard !isWaiting(connection) else { return }
        connection.listed.insert(list)
        if hadShare { served.append(connection) } else { rested.append(connection) }
    }

    /// Takes out the connection whose share is next; nil when there is none.
    ///
    /// - Parameter restedFirst: false to prefer connections that had a share before.
    mutating func next(restedFirst: Bool) -> Connection? {
        let connection = restedFirst ? rested.next() ?? served.next() : served.next() ?? rested.next()
        connection?.listed.remove(list)
        return connection
    }
}
