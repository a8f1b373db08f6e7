import StoryCore
import StoryEngine

/// The connections with a request that waits for its own writes or the definitions of models to be durable, for room, or
/// for models that can be read.
struct WaitingRequests {
    private var connections: [Connection] = []

    /// Has the next request of a connection wait.
    mutating func append(_ connection: Connection, for awaited: Connection.Awaited, _ tag: Tag?) {
        connection.requestMustWait(for: awaited, tag)
        connections.append(connection)
    }

    /// Has a connection wait whose next line is held: by its writes that were passed on, or since models cannot be read.
    ///
    /// - Returns: false for the end of its input, which no models are needed for.
    mutating func hold(
        _ connection: Connection, in conversation: Conversation, _ tag: Tag?, isEnd: Bool
    ) -> Bool {
        if conversation.forwarded > 0 {
            connection.requestMustWait(for: .forwarded(isEnd: isEnd), tag)
        } else if isEnd {
            return false
        } else {
            append(connection, for: .models, tag)
        }
        return true
    }

    /// Removes the connections whose request can be handled now and returns them; drops those that are ending.
    ///
    /// - Parameter takesWrites: false where writes are passed on, which needs no room here.
    mutating func takeReady(
        at durable: Position, _ driver: CommitDriver, _ engine: Engine, takesWrites: Bool
    ) -> [Connection] {
        guard !connections.isEmpty else { return [] }
        func isReady(_ connection: Connection) -> Bool {
            connection.isRequestReady(at: durable, driver, engine, takesWrites: takesWrites)
        }
        let ready = connections.filter(isReady)
        connections.removeAll { $0.isEnding || isReady($0) }
        return ready
    }

    /// Returns true where `takeReady` would return a connection.
    func hasReady(at durable: Position, _ driver: CommitDriver, _ engine: Engine, takesWrites: Bool) -> Bool {
        connections.contains { $0.isRequestReady(at: durable, driver, engine, takesWrites: takesWrites) }
    }
}

extension Connection {
    /// Returns true when the condition that the next request waits for holds.
    fileprivate func isRequestReady(
        at durable: Position, _ driver: CommitDriver, _ engine: Engine, takesWrites: Bool
    ) -> Bool {
        switch state {
        case .awaiting(.earlierWrites, _, let conversation): conversation.session.lastWritten <= durable
        case .awaiting(.definitions, _, _): !engine.hasErasedRows && engine.lastDefinition <= durable
        case .awaiting(.moved(let request), _, _): !engine.shares.awaitsMove(request, through: durable)
        case .awaiting(.room, _, _): !takesWrites || !isHeld(by: driver, engine)
        case .awaiting(.models, _, _): driver.refolding.isOver
        case .awaiting(.rollBack, _, _): !driver.refolding.awaitsRollBack
        case .awaiting(.job, _, _), .awaiting(.position, _, _), .awaiting(.fold, _, _), .awaiting(.forwarded, _, _),
            .open, .answering, .closing, .closed:
            false
        }
    }

    /// Returns what the next request waits for; nil where it can be handled.
    func awaited(
        by request: borrowing Request, in conversation: Conversation, _ driver: CommitDriver, _ engine: Engine
    ) -> Awaited? {
        let lastWritten = conversation.session.lastWritten
        if lastWritten > driver.acknowledged, request.waitsForEarlierWrites { return .earlierWrites }
        if engine.lastDefinition > driver.acknowledged, request.action.waitsForDefinitions { return .definitions }
        if engine.hasErasedRows, request.action.readsRows { return .definitions }
        if driver.isHalfFolded {
            if driver.refolding.awaitsRollBack { return .rollBack }
            return request.action.needsModels ? .models : nil
        }
        if case .follow(.work(let request)) = request.action {
            // Nothing is delivered behind a move that may be undone; a confirmation appends an event.
            if engine.shares.awaitsMove(request, through: driver.acknowledged) { return .moved(request) }
            return isHeld(by: driver, engine) ? .room : nil
        }
        return request.verb.isWrite && isHeld(by: driver, engine) ? .room : nil
    }

    /// True while a write of the connection has to wait for room; one that is refused, by a full disk as well, waits for
    /// nothing.
    fileprivate func isHeld(by driver: CommitDriver, _ engine: Engine) -> Bool {
        engine.refusal == nil && driver.holdsWrites(of: self)
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

    /// True where the answer has rows, or their number.
    fileprivate var readsRows: Bool {
        switch self {
        case .read(.get), .read(.list), .read(.count): true
        case .read, .write, .follow, .operate: false
        }
    }

    /// False where the answer is made without the models of events.
    fileprivate var needsModels: Bool {
        switch self {
        case .read(.ping), .follow(.quit), .follow(.unsubscribe), .operate(.seal), .operate(.cluster): false
        case .read, .write, .follow, .operate: true
        }
    }
}
