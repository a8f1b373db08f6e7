import StoryCore
import StoryEngine
import StoryReactor
import StoryWire

/// Which connections take up room and do nothing.
///
/// A request line that is begun has to be finished in time. Whoever asks for nothing may stay, until somebody is refused
/// for want of room: then those make way that did nothing longest.
struct IdleConnections {
    private static let ticksPerSecond: UInt64 = 10

    private let connections: Connections
    private let transport: any Transport
    private let limits: Limits

    init(_ connections: Connections, _ transport: any Transport, _ limits: Limits) {
        self.connections = connections
        self.transport = transport
        self.limits = limits
    }

    /// Those to be ended now. Looked for once a second.
    ///
    /// - Parameter isRoomWanted: whether somebody was refused since the last time because there was no room.
    func due(at tick: UInt64, isRoomWanted: Bool) -> [Connection] {
        let longest = UInt64(limits.idle) * IdleConnections.ticksPerSecond
        var due: [Connection] = []
        var idle: [Connection] = []
        for connection in connections.all where !connection.isEnding {
            look(at: connection, tick)
            if let began = connection.activity.lineBegan, tick - began >= longest {
                due.append(connection)
            } else if tick - connection.activity.last >= longest, connection.session.subscriptionCount == 0 {
                idle.append(connection)
            }
        }
        // One room less, because the last one is not everybody's.
        guard isRoomWanted, connections.liveCount - due.count >= limits.connections - 1 else { return due }
        idle.sort { ($0.activity.last, $0.id.value) < ($1.activity.last, $1.id.value) }
        return due + idle.prefix(max(1, limits.connections / 16))
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

extension Connection {
    /// True where a line was begun, and nothing here keeps it from being finished.
    fileprivate var hasUnfinishedLine: Bool {
        isOpen && !isPaused && lines.bufferedCount > 0 && !lines.hasBufferedLine
    }
}
