import StoryClient
import Synchronization

/// The connections that questions are asked over, one at a time each; between questions one is kept.
final class QueryConnections: Sendable {
    /// The greatest number of questions at a time; more are refused as busy.
    static let most = 16
    /// The longest that connecting may take, and then each part of an answer.
    static let patience = (connecting: Duration.seconds(5), answering: Duration.seconds(60))

    /// A connection that one thread uses at a time.
    final class Held: @unchecked Sendable {
        let connection: StoreConnection
        /// True for one that was used before, which the store may have closed meanwhile.
        let isUsed: Bool

        init(_ connection: StoreConnection, isUsed: Bool) { (self.connection, self.isUsed) = (connection, isUsed) }
    }

    private struct State {
        var idle: Held?
        var askedCount = 0
    }

    private let address: StoreAddress
    private let stop: StopSignal
    private let state = Mutex(State())

    init(_ address: StoreAddress, _ stop: StopSignal) { (self.address, self.stop) = (address, stop) }

    /// Takes a slot for a question.
    ///
    /// - Throws: `busy` where all are taken.
    func begin() throws(ClientError) {
        let hasRoom = state.withLock { state in
            guard state.askedCount < QueryConnections.most else { return false }
            state.askedCount += 1
            return true
        }
        guard !hasRoom else { return }
        throw .busy(message: "\(QueryConnections.most) questions are asked at a time; ask again")
    }

    /// Gives a slot back, and a connection whose answer was read to its end.
    func end(_ held: Held?) {
        state.withLock { state in
            state.askedCount -= 1
            if let held, state.idle == nil { state.idle = Held(held.connection, isUsed: true) }
        }
    }

    /// Returns a connection for a slot: the one that is kept, unless it is to be a new one.
    func connection(new isNew: Bool) throws(ClientError) -> Held {
        let kept = state.withLock { state in
            defer { state.idle = nil }
            return state.idle
        }
        if !isNew, let kept { return kept }
        let connection = try StoreConnection(
            to: address, timeout: QueryConnections.patience.connecting, interruption: stop.descriptor)
        return Held(connection, isUsed: false)
    }
}
