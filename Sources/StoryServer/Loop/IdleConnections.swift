import StoryCore
import StoryEngine
import StoryReactor
import StoryWire

/// Which connections take up room and do nothing.
///
/// A request line that is begun has to be finished in time; in a tenth of it where it is long and other long ones wait.
/// Whoever asks for nothing may stay, until somebody is refused for want of room: then those make way that did nothing
/// longest. Where somebody is refused for want of memory, those make way that take none of the answers they asked for.
struct IdleConnections {
    private let connections: Connections
    private let transport: any Transport
    private let limits: Limits

    init(_ connections: Connections, _ transport: any Transport, _ limits: Limits) {
        self.connections = connections
        self.transport = transport
        self.limits = limits
    }

    /// A connection to be ended, and how many seconds were too long for it.
    typealias Due = (connection: Connection, seconds: Int)

    /// Those to be ended now. Looked for once a second.
    ///
    /// - Parameters:
    ///   - isRoomWanted: whether somebody was refused since the last time because there was no room.
    ///   - isLineWanted: whether long lines wait until others are whole.
    ///   - isMemoryWanted: whether something was refused or held back because much is kept for clients.
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
        // One room less, because the last one is not everybody's.
        guard isRoomWanted, connections.liveCount - due.count >= limits.connections - 1 else { return due }
        idle.sort { ($0.activity.last, $0.id.value) < ($1.activity.last, $1.id.value) }
        return due + idle.prefix(max(1, limits.connections / 16)).map { ($0, limits.idle) }
    }

    /// Notes what the connection does.
    private func look(at connection: Connection, _ tick: UInt64) {
        let unsent = transport.unsentCount(connection.id)
        let hasTaken = unsent != connection.activity.unsent
        connection.activity.unsent = unsent
        connection.activity.last =
            hasTaken || connection.awaitsWork ? tick : max(connection.activity.last, connection.activity.lastLine)
        guard connection.hasUnfinishedLine else {
            connection.activity.lineBegan = nil
            return
        }
        // A line that was taken up since then was another one.
        guard let began = connection.activity.lineBegan, connection.activity.lastLine < began else {
            connection.activity.lineBegan = tick
            return
        }
    }
}

extension Int {
    /// So many seconds in ticks, of which a second has ten.
    fileprivate var ticks: UInt64 { UInt64(self) * 10 }
}

extension Connection {
    /// True where a line was begun, and nothing here keeps it from being finished.
    fileprivate var hasUnfinishedLine: Bool {
        isOpen && !isPaused && lines.bufferedCount > 0 && !lines.hasBufferedLine
    }
    /// True where answers are kept for it. What is kept for a follower that reads nothing is little, and stays.
    fileprivate var keepsAnswers: Bool { activity.unsent > 0 && (answer != nil || session.subscriptionCount == 0) }
}
