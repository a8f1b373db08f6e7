/// The connections whose state, input or output has changed since the end of the last turn.
///
/// At the end of a turn the next step of each is computed once. So the order of the changes, and the part of the loop
/// that made them, do not matter.
final class TouchedConnections {
    private var connections: [Connection] = []

    /// Notes that something about the connection has changed.
    @inline(__always)
    func add(_ connection: Connection) {
        guard !connection.listed.contains(.touched) else { return }
        connection.listed.insert(.touched)
        connections.append(connection)
    }

    /// Removes all connections and calls `body` with each, also with those that are added meanwhile.
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
