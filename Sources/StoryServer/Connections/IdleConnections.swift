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
        var idle: [Connection] = []
        for connection in connections.all where !connection.isEnding {
            look(at: connection, tick)
            let seconds = isLineWanted && connection.longLine == .reading ? shortest : limits.idle
            if let began = connection.activity.lineBegan, tick - began >= seconds.ticks {
                due.append((connection, seconds))
            } else if isMemoryWanted, connection.keepsAnswers, tick - connection.activity.last >= shortest.ticks {
                due.append((connection, shortest))
            } else if tick - connection.activity.last >= longest, connection.session.subscriptionCount == 0 {
                idle.append(connection)
            }
        }
        // One less, because the last connection is reserved for administrators.
        guard isRoomWanted, connections.liveCount - due.count >= limits.connections - 1 else { return due }
        idle.sort { ($0.activity.last, $0.id.value) < ($1.activity.last, $1.id.value) }
        return due + idle.prefix(max(1, limits.connections / 16)).map { ($0, limits.idle) }
    }

    /// Updates the connection's activity.
    private func look(at connection: Connection, _ tick: UInt64) {
        let unsent = transport.unsentCount(connection.id)
        let hasTaken = unsent != connection.activity.unsent
        connection.activity.unsent = unsent
        connection.activity.last =
            hasTaken || connection.awaitsWork ? tick : max(connection.activity.last, connection.activity.lastLine)
        if !connection.hasUnfinishedLine {
            connection.activity.lineBegan = nil
        } else if connection.activity.lineBegan.map({ $0 <= connection.activity.lastLine }) ?? true {
            // A line was handled since an incomplete one was seen, so this is a new one.
            connection.activity.lineBegan = tick
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
        isOpen && !isPaused && lines.bufferedCount > 0 && !lines.hasBufferedLine
    }
    /// True where unread answers are kept for the connection. A follower that reads nothing costs little, and stays.
    fileprivate var keepsAnswers: Bool { activity.unsent > 0 && (answer != nil || session.subscriptionCount == 0) }
}
