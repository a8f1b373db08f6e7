import StoryCore
import StoryWire

/// The `GET` requests that the engine answers together: their connections, and the figures of their answers.
struct RowRequests: ~Copyable {
    private let clock: () -> UInt64
    private let figures: Figures
    private let slow: SlowRequests
    private var connections: [Connection] = []
    private var kinds: [Kind] = []
    /// The number of timed requests, and when their look-up began, in nanoseconds of the steady clock.
    private var (timed, began) = (0, UInt64(0))

    /// - Parameter clock: monotonic time in nanoseconds.
    init(clock: @escaping () -> UInt64, _ figures: Figures, _ slow: SlowRequests) {
        self.clock = clock
        self.figures = figures
        self.slow = slow
    }

    /// Returns an empty list with the same figures.
    func emptied() -> RowRequests { RowRequests(clock: clock, figures, slow) }

    /// Adds a request.
    mutating func add(_ kind: Kind, from connection: Connection, isTimed: Bool) {
        connections.append(connection)
        kinds.append(kind)
        if isTimed { timed += 1 }
    }

    /// Notes that the rows are looked up now.
    mutating func begin() { if timed > 0 { began = clock() } }

    /// The connection of a request.
    subscript(index: Int) -> Connection { connections[index] }

    /// Notes that all requests are answered, and forgets them.
    mutating func end() {
        if timed > 0 {
            let each = (clock() - began) / UInt64(connections.count)
            for _ in 0..<timed { figures.took(.read(.get), nanoseconds: each) }
        }
        for (index, connection) in connections.enumerated() {
            slow.replied(.read(.get), GivenNames(kind: kinds[index]), connection)
        }
        connections.removeAll(keepingCapacity: true)
        kinds.removeAll(keepingCapacity: true)
        timed = 0
    }
}
