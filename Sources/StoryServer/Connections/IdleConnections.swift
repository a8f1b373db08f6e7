import StoryCore
import StoryEngine
import StoryReactor
import StoryWire

/// The search for connections that use resources and are idle.
///
/// A request line must be completed within the limit `idle`; within a tenth of it where the line is long and other long
/// lines wait. Connections without requests may stay until a client is refused for lack of room: then those that were
/// idle longest are ended. Where something is refused for lack of memory, connections that do not read their answers
/// are ended.
struct IdleConnections {
    let connections: Connections
    let transport: any Transport
    let limits: Limits

    /// A connection to end, with the number of seconds that it exceeded.
    typealias Due = (connection: Connection, seconds: Int)

    /// Returns the connections to end now; called once a second.
    ///
    /// - Parameters:
    ///   - isRoomWanted: whether a client was refused for lack of room since the last call.
    ///   - isLineWanted: whether long lines wait until others are complete.
    ///   - isMemoryWanted: whether something was refused or held back for lack of memory.
    func due(at tick: UInt64, isRoomWanted: Bool, isLineWanted: Bool, isMemoryWanted: Bool) -> [Due] {
        let longest = limits.idle.ticks
        let shortest = max(1, limits.idle / 10)
        var due: [Due] = []
        var idle: [(connection: Connection, since: UInt64)] = []
        for connection in connections.all {
            guard let conversation = connection.conversation else { continue }
            look(at: connection, in: conversation, tick)
            let activity = conversation.activity
            let seconds = isLineWanted && connection.longLine == .reading ? shortest : limits.idle
            if let began = activity.lineBegan, tick - began >= seconds.ticks {
                due.append((connection, seconds))
            } else if isMemoryWanted, connection.keepsAnswers(conversation), tick - activity.last >= shortest.ticks {
                due.append((connection, shortest))
            } else if tick - activity.last >= longest, conversation.session.subscriptionCount == 0 {
                idle.append((connection, activity.last))
            }
        }
        // One less, because the last connection is reserved for administrators.
        guard isRoomWanted, connections.liveCount - due.count >= limits.connections - 1 else { return due }
        idle.sort { ($0.since, $0.connection.id.value) < ($1.since, $1.connection.id.value) }
        return due + idle.prefix(max(1, limits.connections / 16)).map { ($0.connection, limits.idle) }
    }

    /// Updates the connection's activity.
    private func look(at connection: Connection, in conversation: Conversation, _ tick: UInt64) {
        let unsent = transport.unsentCount(connection.id)
        let hasTaken = unsent != conversation.activity.unsent
        let lastLine = connection.client.lastLine
        conversation.activity.unsent = unsent
        conversation.activity.last =
            hasTaken || connection.awaitsWork ? tick : max(conversation.activity.last, lastLine)
        if !connection.hasUnfinishedLine {
            conversation.activity.lineBegan = nil
        } else if conversation.activity.lineBegan.map({ $0 <= lastLine }) ?? true {
            // A line was handled since an incomplete one was seen, so this is a new one.
            conversation.activity.lineBegan = tick
        }
    }
}

extension Int {
    /// This number of seconds in ticks of 0.1 s.
    fileprivate var ticks: UInt64 { UInt64(self) * 10 }
}

extension Connection {
    /// True where a line is incomplete, and nothing in the server keeps the client from completing it.
    fileprivate var hasUnfinishedLine: Bool {
        guard case .open(let conversation) = state, !isPaused else { return false }
        return conversation.lines.bufferedCount > 0 && !conversation.lines.hasBufferedLine
    }

    /// True where unread answers are kept for the connection. A follower that reads nothing costs little, and stays.
    fileprivate func keepsAnswers(_ conversation: Conversation) -> Bool {
        conversation.activity.unsent > 0 && (answer != nil || conversation.session.subscriptionCount == 0)
    }
}
