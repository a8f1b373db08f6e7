import StoryCore
import StoryEngine

/// The connections with a request that waits for its own writes to be durable, or for room.
struct WaitingRequests {
    private var connections: [Connection] = []

    mutating func append(_ connection: Connection) { connections.append(connection) }

    /// Removes the connections whose request can be handled now and returns them; drops those that are ending.
    mutating func takeReady(at durable: Position, takesWrites: Bool) -> [Connection] {
        guard !connections.isEmpty else { return [] }
        let ready = connections.filter { $0.isRequestReady(at: durable, takesWrites: takesWrites) }
        connections.removeAll { $0.isEnding || $0.isRequestReady(at: durable, takesWrites: takesWrites) }
        return ready
    }
}

extension Connection {
    /// Returns what the next request waits for; nil where it can be handled.
    func awaited(by request: borrowing Request, _ driver: CommitDriver) -> Awaited? {
        if session.lastWritten > driver.acknowledged, request.waitsForOwnWrites { return .ownWrites(request.tag) }
        if driver.isHalfFolded { return .room(request.tag) }
        return driver.holdsWrites && request.verb.isWrite ? .room(request.tag) : nil
    }
}
