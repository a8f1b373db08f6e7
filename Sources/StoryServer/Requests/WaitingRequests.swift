import StoryCore
import StoryEngine

/// The connections with a request that waits for its own writes or the definitions of models to be durable, or for room.
struct WaitingRequests {
    private var connections: [Connection] = []

    mutating func append(_ connection: Connection) { connections.append(connection) }

    /// Removes the connections whose request can be handled now and returns them; drops those that are ending.
    mutating func takeReady(at durable: Position, _ driver: CommitDriver, _ engine: Engine) -> [Connection] {
        guard !connections.isEmpty else { return [] }
        let lastDefinition = engine.changes.position
        func isReady(_ connection: Connection) -> Bool {
            let takesWrites = !driver.holdsWrites(of: connection)
            return connection.isRequestReady(at: durable, lastDefinition: lastDefinition, takesWrites: takesWrites)
        }
        let ready = connections.filter(isReady)
        connections.removeAll { $0.isEnding || isReady($0) }
        return ready
    }
}

extension Connection {
    /// Returns what the next request waits for; nil where it can be handled.
    func awaited(by request: borrowing Request, _ driver: CommitDriver, _ engine: Engine) -> Awaited? {
        if session.lastWritten > driver.acknowledged, request.waitsForOwnWrites { return .ownWrites }
        if engine.changes.position > driver.acknowledged, request.action.waitsForDefinitions {
            return .definitions
        }
        return driver.isHalfFolded || request.verb.isWrite && driver.holdsWrites(of: self) ? .room : nil
    }
}

extension RequestAction {
    /// True when the answer depends on the definitions of models, and on no event: it waits until the last change of
    /// the definitions is durable.
    fileprivate var waitsForDefinitions: Bool {
        switch self {
        case .read(.sorts), .read(.misfits), .operate(.help), .operate(.check): true
        case .follow(.subscribe(let query)): query.subject.kind != nil
        case .read, .write, .follow, .operate: false
        }
    }
}
