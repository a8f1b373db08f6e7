/// The connections about which something has changed since the end of the last turn: what they are, hold or are sent.
///
/// At the end of a turn their next steps are found out, for each once. So it makes no difference which change came first,
/// or which part of the loop made it.
final class TouchedConnections {
    @exclusivity(unchecked) private var connections: [Connection] = []

    /// Notes that something about the connection has changed.
    @inline(__always)
    func add(_ connection: Connection) {
        guard !connection.listed.contains(.touched) else { return }
        connection.listed.insert(.touched)
        connections.append(connection)
    }

    /// Calls the body with each of them, those included that are added meanwhile, and forgets them.
    func forEach(_ body: (Connection) -> Void) {
        var index = 0
        while index < connections.count {
            let connection = connections[index]
            connection.listed.remove(.touched)
            body(connection)
            index += 1
        }
        connections.removeAll(keepingCapacity: true)
    }
}
