import StoryCore
import StoryEngine
import StoryReactor
import StoryWire

/// Which connections are read from.
///
/// Reading goes on while there is little to take up, so that a client that only sends is held back by its socket. Of long
/// lines that are not whole only some go on at a time, the others in the order in which they came: all together take the
/// memory of those few.
final class Reading {
    /// Who has so many bytes to be taken up is not read from; who has so many of one line reads a long one.
    static let much = 65_536
    /// The same where much is kept for clients, and how much is read of each at a time.
    static let little = 8_192

    private let transport: any Transport
    private let connections: Connections
    private let limits: Limits
    private let memory: ClientMemory
    /// How far the account of what is kept for clients is used up: the further, the less is read of each.
    var level = ClientMemory.Level.plenty {
        didSet { if level != oldValue { transport.mostRead = level == .plenty ? nil : Reading.little } }
    }
    /// How many do, and how many wait.
    private var (readCount, waitingCount) = (0, 0)
    /// Those that wait, and some that do no longer.
    private var waiting = FIFO<ConnectionID>()

    init(_ transport: any Transport, _ limits: Limits, _ connections: Connections, _ memory: ClientMemory) {
        self.transport = transport
        self.connections = connections
        self.limits = limits
        self.memory = memory
    }

    /// How many long lines go on at once: half of what may be kept for clients, or a sixteenth where that is short.
    private var places: Int {
        max(1, limits.memory / (memory.level == .plenty ? 2 : 16) / max(1, limits.line))
    }

    /// True where long lines wait until others are whole.
    var isWanted: Bool { waitingCount > 0 }

    /// Reads from the connection as its next step says.
    func set(_ connection: Connection, _ input: NextStep.Input) {
        switch input {
        case .readLongLine: set(connection, isRead: enter(connection))
        case .leave: set(connection, isRead: false)
        case .read, .leaveForLong:
            leave(connection)
            if !connection.isEnding { set(connection, isRead: input == .read) }
        }
    }

    private func set(_ connection: Connection, isRead: Bool) {
        guard isRead == connection.isPaused else { return }
        connection.isPaused = !isRead
        if isRead { transport.resumeReading(connection.id) } else { transport.pauseReading(connection.id) }
    }

    // MARK: Long lines

    /// True where the connection's line may go on now.
    private func enter(_ connection: Connection) -> Bool {
        switch connection.longLine {
        case .reading: return true
        case .waiting: return false
        case .none:
            guard readCount < places else {
                connection.longLine = .waiting
                waitingCount += 1
                waiting.append(connection.id)
                return false
            }
            readCount += 1
            connection.longLine = .reading
            return true
        }
    }

    /// The connection has no long line any more: the one that waited longest goes on.
    private func leave(_ connection: Connection) {
        defer { connection.longLine = .none }
        switch connection.longLine {
        case .none: break
        case .waiting: waitingCount -= 1
        case .reading:
            readCount -= 1
            letNextIn()
        }
    }

    private func letNextIn() {
        while let id = waiting.next() {
            guard let next = connections[id], next.longLine == .waiting else { continue }
            waitingCount -= 1
            readCount += 1
            next.longLine = .reading
            return set(next, isRead: true)
        }
    }
}
