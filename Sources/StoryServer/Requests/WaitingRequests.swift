import StoryCore
import StoryEngine

/// The connections with a request that waits for its own writes or the definitions of models to be durable, or for room.
struct WaitingRequests {
    /// The state of the store that requests wait for.
    struct StoreState {
        /// The last durable event.
        let durable: Position
        /// The last event that changed a definition.
        let lastDefinition: Position
        /// True while writes are accepted.
        let takesWrites: Bool
    }

    private var connections: [Connection] = []

    mutating func append(_ connection: Connection) { connections.append(connection) }

    /// Removes the connections whose request can be handled now and returns them; drops those that are ending.
    mutating func takeReady(at durable: Position, _ driver: CommitDriver) -> [Connection] {
        guard !connections.isEmpty else { return [] }
        let store = StoreState(
            durable: durable, lastDefinition: driver.engine.changes.position, takesWrites: !driver.holdsWrites)
        let ready = connections.filter { $0.isRequestReady(store) }
        connections.removeAll { $0.isEnding || $0.isRequestReady(store) }
        return ready
    }
}

extension Connection {
    /// Returns what the next request waits for; nil where it can be handled.
    func awaited(by request: borrowing Request, _ driver: CommitDriver) -> Awaited? {
        if session.lastWritten > driver.acknowledged, request.waitsForOwnWrites { return .ownWrites(request.tag) }
        if driver.engine.changes.position > driver.acknowledged, request.action.waitsForDefinitions {
            return .definitions(request.tag)
        }
        if driver.isHalfFolded { return .room(request.tag) }
        return request.verb.isWrite && driver.holdsWrites ? .room(request.tag) : nil
    }
}

extension RequestAction {
    /// True when the answer depends on the definitions of models, and on no event: it waits until the last change of
    /// the definitions is durable.
    fileprivate var waitsForDefinitions: Bool {
        switch self {
        case .sorts, .misfits, .help: true
        case .subscribe(let query): query.subject.kind != nil
        case .define(let request): request.check != nil
        case .get, .list, .count, .read, .countEvents, .streams, .types, .undefine, .models, .content, .append,
            .appendTogether, .unsubscribe, .ping, .stats, .metrics, .clients, .checkpoint, .verify, .seal, .backup,
            .cluster, .quit:
            false
        }
    }
}
