import StoryCore

/// Connections with a request that waits for what they wrote, or for room.
struct WaitingRequests {
    private var connections: [Connection] = []

    mutating func append(_ connection: Connection) { connections.append(connection) }

    /// Takes out those whose request can be taken up by now, and drops those that are ending.
    mutating func takeReady(at durable: Position, takesWrites: Bool) -> [Connection] {
        guard !connections.isEmpty else { return [] }
        let ready = connections.filter { $0.isRequestReady(at: durable, takesWrites: takesWrites) }
        connections.removeAll { $0.isEnding || $0.isRequestReady(at: durable, takesWrites: takesWrites) }
        return ready
    }
}
