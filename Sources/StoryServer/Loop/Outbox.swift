import StoryCore
import StoryEngine
import StoryReactor
import StoryWire

/// What connections are told, until it leaves. Nothing leaves but by `release`, which the turn alone decides.
final class Outbox {
    /// How much storage a connection keeps for what it is told next, in bytes: a turn's receipts, not a page of rows.
    private static let keptOutput = 16_384
    /// The largest storage that is kept for whoever needs much next, in bytes.
    private static let keptSpare = 1_048_576

    private let transport: any Transport
    private let limits: Limits
    private let connections: Connections
    private let figures: Figures
    private let slow: SlowRequests
    /// True once the program ends: whoever has taken what is his is not waited for.
    var isDraining = false
    @exclusivity(unchecked) private var waiting: [Connection] = []
    /// Storage of a connection that was told much, for the next one that has none.
    @exclusivity(unchecked) private var spare: [UInt8] = []

    init(
        _ transport: any Transport, _ limits: Limits, _ connections: Connections, _ figures: Figures,
        _ slow: SlowRequests
    ) {
        self.figures = figures
        self.slow = slow
        self.transport = transport
        self.limits = limits
        self.connections = connections
    }

    /// The connection may have something to be sent.
    @inline(__always)
    func touch(_ connection: Connection) {
        guard !connection.listed.contains(.outbox) else { return }
        connection.listed.insert(.outbox)
        waiting.append(connection)
        connection.output.begin(in: &spare)
    }

    /// True while the connection's requests are answered; false until its reader has taken something.
    func hasRoom(_ connection: Connection) -> Bool { connection.output.count < room(connection) }

    /// How many bytes the connection's output may hold before its requests wait, until something is sent.
    func room(_ connection: Connection) -> Int {
        let shared = max(limits.leastOutput, limits.allOutput - transport.unsentTotal)
        return min(limits.output, shared) - transport.unsentCount(connection.id)
    }

    /// How many bytes of an answer or of pushes may still be prepared ahead of the reader.
    func roomAhead(_ connection: Connection) -> Int { max(0, limits.ahead - waitingCount(connection)) }

    /// True when the reader took everything that was sent.
    func isTaken(_ connection: Connection) -> Bool { transport.unsentCount(connection.id) == 0 }

    /// How many bytes wait until the connection's reader takes them.
    func waitingCount(_ connection: Connection) -> Int {
        connection.output.count + transport.unsentCount(connection.id)
    }

    /// Sends what rests on events up to this position; `whenTaken` is told of each connection whose reader took it all.
    func release(through durable: Position, _ whenTaken: (Connection) -> Void) {
        // By index, in place: the list keeps its memory.
        var kept = 0
        for index in waiting.indices {
            let connection = waiting[index]
            send(connection, through: durable)
            if connection.output.isEmpty {
                connection.listed.remove(.outbox)
                finishIfEnding(connection)
            } else {
                waiting[kept] = connection
                kept += 1
            }
            if !connection.isEnding, isTaken(connection) { whenTaken(connection) }
        }
        waiting.removeLast(waiting.count - kept)
    }

    private func send(_ connection: Connection, through durable: Position) {
        guard !connection.isClosed else { return connection.output.removeAll() }
        let count = connection.output.release(through: durable)
        guard count > 0 else { return }
        connection.client.sent(count)
        figures.sent(count)
        slow.left(connection)
        guard count == connection.output.count else {
            transport.send(connection.id, Array(connection.output.bytes[..<count]))
            return connection.output.sent(count, keepingCapacity: true)
        }
        // What the kernel did not take the transport keeps, and the storage with it.
        let isSent = transport.send(connection.id, connection.output.bytes)
        let capacity = connection.output.bytes.capacity
        if isSent, capacity > Outbox.keptOutput, spare.capacity < capacity, capacity <= Outbox.keptSpare {
            return connection.output.sentAll(keepingIn: &spare)
        }
        connection.output.sent(count, keepingCapacity: isSent && capacity <= Outbox.keptOutput)
    }

    private func finishIfEnding(_ connection: Connection) {
        guard connection.isEnding, !connection.isClosed else { return }
        connection.closed()
        transport.finish(connection.id, lingers: !isDraining)
    }

    /// Replaces each reply that rests on an undone event by this failure.
    func rollBack(to durable: Position, _ failure: Failure) {
        for connection in waiting {
            connection.output.rollBack(to: durable) { tag, bytes in
                figures.failed(failure.code)
                connection.client.failed()
                ReplyEncoder.append(.failed(failure), tag: tag, to: &bytes)
            }
        }
    }

    /// Forgets everything that was not sent: it must not leave any more.
    func removeAll() {
        for connection in waiting { connection.output.removeAll() }
        waiting = []
    }
}
