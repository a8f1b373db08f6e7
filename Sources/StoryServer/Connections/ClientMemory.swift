import StoryCore
import StoryEngine
import StoryWire

/// The account of the memory that clients use: input that was not processed, output that was not sent, answers in
/// progress, and subscriptions with their filters.
///
/// A connection's share is computed at the end of each turn in which it changed, so the sum needs no walk over all
/// connections. It exceeds the limit by no more than one turn adds.
final class ClientMemory {
    /// How far the limit is used up. At a higher level less is kept for each client, down to the least with which all
    /// make progress.
    enum Level: Comparable {
        case plenty
        /// Half of the limit is used: reads and prefetched output are small.
        case short
        /// The limit is used up: new subscriptions are refused, and so are queries of clients that use more than their
        /// share.
        case full
        /// The limit is exceeded by a quarter: all new queries are refused, and answers in progress are prepared in
        /// small steps.
        case spent
    }

    /// The fixed cost of an idle connection in the loop and the reactor, in bytes.
    private static let connection = 2_048

    let limit: Int
    /// The share of the limit per connection, in bytes; above it, queries are refused while the account is full.
    private let share: Int
    private(set) var used = 0
    /// True once something was refused or held back for lack of memory, until `takeWanted`.
    private var isWanted = false

    init(_ limits: Limits) {
        limit = limits.memory
        share = limits.memory / max(1, limits.connections)
    }

    var level: Level {
        if used < limit / 2 { return .plenty }
        if used < limit { return .short }
        return used < limit + limit / 4 ? .full : .spent
    }

    /// True where the limit is exceeded by three eighths: only short answers, and those of clients that fill the
    /// account, are still prepared, each where its client has read everything.
    var isExhausted: Bool { used >= limit + limit / 8 * 3 }

    /// Returns true where the connection alone uses a sixteenth of the limit; at most 22 connections can at a time.
    func isFilled(by connection: Connection) -> Bool { connection.accounted >= limit / 16 }

    /// Returns true where something was refused or held back since the last call.
    func takeWanted() -> Bool {
        defer { isWanted = level == .spent }
        return isWanted
    }

    // MARK: The account

    /// Updates the account for a connection; 0 bytes once it is gone. A closed connection counts until its output is
    /// sent.
    ///
    /// - Parameter unsent: the bytes that the transport holds for it.
    func update(_ connection: Connection, unsent: Int, isGone: Bool) {
        let bytes = isGone ? 0 : bytes(of: connection, unsent)
        used += bytes - connection.accounted
        connection.accounted = bytes
    }

    private func bytes(of connection: Connection, _ unsent: Int) -> Int {
        ClientMemory.connection + connection.keptBytes + unsent
    }

    /// Computes the sum from scratch, to check the account.
    func count(_ connections: some Sequence<Connection>, _ transport: any Transport) -> Int {
        connections.reduce(0) { $0 + bytes(of: $1, transport.unsentCount($1.id)) }
    }

    // MARK: Refusals

    /// Returns why a request is refused for lack of memory; nil where it is not.
    func refusal(of verb: Verb, of connection: Connection) -> Failure? {
        guard level >= .full, isRefused(verb, connection) else { return nil }
        isWanted = true
        let message =
            "\(used) bytes are kept for clients, of \(limit); read what waits, UNSUBSCRIBE, or send it again later"
        return Failure(.busy, message, .limit(limit))
    }

    private func isRefused(_ verb: Verb, _ connection: Connection) -> Bool {
        switch verb {
        case .follow(.subscribe), .follow(.send), .follow(.work): true
        case .read(.sorts), .read(.ping): false
        case .read, .operate(.clients): level == .spent || connection.accounted > share
        case .write, .follow, .operate: false
        }
    }
}

extension Connection {
    /// The bytes that are kept for the connection, without those that the transport holds.
    fileprivate var keptBytes: Int {
        output.storageCount + (answer?.cursor.keptBytes ?? 0)
            + (conversation.map { $0.lines.storageCount + $0.session.keptBytes } ?? 0)
    }
}
