import StoryCore
import StoryEngine
import StoryReactor
import StoryWire

/// The back-pressure on input: decides which connections are read from.
///
/// A connection is read while it has little unhandled input, so that a client that only sends is held back by its
/// socket. Only some incomplete long lines are read at a time, the others in the order in which they came: together
/// they use the memory of those few.
final class Reading {
    /// The bytes of unhandled input at which reading stops; at this size an incomplete line counts as long.
    static let much = 65_536
    /// The same while client memory is short; it is then also the maximum size of a read.
    static let little = 8_192

    private let transport: any Transport
    private let connections: Connections
    private let limits: Limits
    private let memory: ClientMemory
    /// How far the client memory is used up: the further, the less is read from each connection.
    var level = ClientMemory.Level.plenty {
        didSet { if level != oldValue { transport.mostRead = level == .plenty ? nil : Reading.little } }
    }
    /// The number of long lines that are being read, and the number that wait.
    private var (readCount, waitingCount) = (0, 0)
    /// The connections whose long lines wait; some entries are stale.
    private var waiting = FIFO<ConnectionID>()

    init(_ transport: any Transport, _ limits: Limits, _ connections: Connections, _ memory: ClientMemory) {
        self.transport = transport
        self.connections = connections
        self.limits = limits
        self.memory = memory
    }

    /// The number of long lines that are read at once: as many as fit into half of the client memory, or into a
    /// sixteenth of it where it is short.
    private var places: Int {
        max(1, limits.memory / (memory.level == .plenty ? 2 : 16) / max(1, limits.line))
    }

    /// True where long lines wait until others are complete.
    var isWanted: Bool { waitingCount > 0 }

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

    /// Returns true where the connection's long line may be read now; else queues it.
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

    /// Releases the connection's slot for long lines to the line that waited longest.
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
