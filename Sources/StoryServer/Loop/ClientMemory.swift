import StoryCore
import StoryEngine
import StoryWire

/// The account of the bytes that are kept for clients: what they sent and was not taken up, what they are sent and did not
/// take, answers under way, subscriptions with their filters, and the rows that are remembered for them.
///
/// Each connection's part is found out at the end of every turn in which something about it has changed, so that the sum
/// is known without a walk. It is over the limit by no more than what one turn adds.
final class ClientMemory {
    /// How far the limit is used up. Less is kept for each the higher it is, down to what makes every client go on.
    enum Level: Int, Comparable {
        case plenty
        /// Half of it is used: no rows are remembered, little is read at a time and prepared ahead.
        case short
        /// All of it is used: there are no new subscriptions, and clients for which much is kept get no answers to questions.
        case full
        /// A quarter more is used: no client gets answers to new questions, and little is prepared of those under way.
        case spent

        static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
    }

    /// How much is kept in bytes for a connection that does nothing: what the loop and the reactor know of it.
    private static let connection = 2_048

    let limit: Int
    /// How many bytes are kept for a connection that gets answers while the account is full.
    private let share: Int
    private(set) var used = 0
    /// True once something was refused or held back for want of memory, until `takeWanted`.
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

    /// True where three eighths more than the limit are used: nothing is prepared but short answers, and those of clients
    /// that fill it, where everything was taken.
    var isExhausted: Bool { used >= limit + limit / 8 * 3 }

    /// True where the connection uses a sixteenth of the limit by itself; at most 22 do so at a time.
    func isFilled(by connection: Connection) -> Bool { connection.accounted >= limit / 16 }

    /// True while rows may be remembered for those who watch them.
    var remembers: Bool { level == .plenty }

    /// True where something was refused or held back since the last time.
    func takeWanted() -> Bool {
        defer { isWanted = level == .spent }
        return isWanted
    }

    // MARK: The account

    /// So much is kept for a connection now; nothing once it is gone. One that is closed may still be sent what waits.
    ///
    /// - Parameter unsent: how many bytes the transport has for it.
    func update(_ connection: Connection, unsent: Int, isGone: Bool) {
        let bytes = isGone ? 0 : bytes(of: connection, unsent)
        used += bytes - connection.accounted
        connection.accounted = bytes
    }

    private func bytes(of connection: Connection, _ unsent: Int) -> Int {
        ClientMemory.connection + connection.keptBytes + unsent
    }

    /// The sum that the account has to be where nothing has changed since it was kept.
    func count(_ connections: some Sequence<Connection>, _ transport: any Transport) -> Int {
        connections.reduce(0) { $0 + bytes(of: $1, transport.unsentCount($1.id)) }
    }

    // MARK: What is refused

    /// Why a request is not answered now; nil where it is.
    func refusal(of verb: Verb, of connection: Connection) -> Failure? {
        guard level >= .full, isRefused(verb, connection) else { return nil }
        isWanted = true
        let message =
            "\(used) bytes are kept for clients, of \(limit); read what waits, UNSUBSCRIBE, or send it again later"
        return Failure(.busy, message, .limit(limit))
    }

    private func isRefused(_ verb: Verb, _ connection: Connection) -> Bool {
        switch verb {
        case .subscribe: true
        case .get, .list, .count, .read, .streams, .clients:
            level == .spent || connection.accounted > share
        case .sorts, .post, .edit, .like, .unlike, .see, .delete, .append, .unsubscribe, .ping, .help, .stats, .metrics,
            .checkpoint, .verify, .backup, .quit:
            false
        }
    }
}

extension Connection {
    /// How many bytes are kept for it here, beside those that the transport has.
    fileprivate var keptBytes: Int {
        lines.storageCount + output.storageCount + session.keptBytes + (answer?.cursor.keptBytes ?? 0)
    }
}
