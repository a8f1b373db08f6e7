import StoryCore
import StoryEngine
import StoryReactor
import StoryWire

/// The unsent output of all connections; only `release` sends, at the turn's command.
final class Outbox {
    /// The storage that a connection keeps for its next output, in bytes: enough for a turn's receipts, not for a page
    /// of rows.
    private static let keptOutput = 16_384
    /// The largest spare storage that is kept for the next large output, in bytes.
    private static let keptSpare = 1_048_576

    /// The bytes of an answer that are prepared for a client that has read everything, however much memory others use.
    private static let leastAhead = 4_096

    private let transport: any Transport
    private let limits: Limits
    private let connections: Connections
    private let figures: Figures
    private let slow: SlowRequests
    private let memory: ClientMemory
    private let life: Life
    private var waiting: [Connection] = []
    /// The connection to which a part of an answer is being written, and the size of its output before; the output itself
    /// cannot be read meanwhile.
    private var appended: (id: ConnectionID, count: Int)?
    /// Spare storage of a connection that had much output, for the next one without any.
    private var spare = ByteWriter()

    init(
        transport: any Transport, limits: Limits, connections: Connections, memory: ClientMemory, figures: Figures,
        slow: SlowRequests, life: Life
    ) {
        (self.transport, self.limits, self.connections) = (transport, limits, connections)
        (self.memory, self.figures, self.slow, self.life) = (memory, figures, slow, life)
    }

    // MARK: Writing

    /// Has `body` write one complete reply for the connection; it depends on a position.
    @inline(__always)
    func write(
        to connection: Connection, restsOn position: Position, durable: Position, _ body: (inout ByteWriter) -> Void
    ) {
        list(connection)
        body(&connection.output.bytes)
        connection.output.close(restsOn: position, durable: durable)
    }

    /// Has `body` write a part of an answer, which `close` completes.
    @inline(__always)
    func append<Result, Failure: Error>(
        to connection: Connection, _ body: (inout ByteWriter) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        list(connection)
        appended = (connection.id, connection.output.count)
        defer { appended = nil }
        return try body(&connection.output.bytes)
    }

    /// Marks the connection's output as complete, and dependent on a position.
    func close(_ connection: Connection, restsOn position: Position, durable: Position) {
        connection.output.close(restsOn: position, durable: durable)
    }

    /// Removes the output of the connection's incomplete answer.
    func dropUnfinished(_ connection: Connection) { connection.output.dropUnfinished() }

    /// Lists the connection for sending; its next step is computed after that.
    @inline(__always)
    private func list(_ connection: Connection) {
        guard !connection.listed.contains(.outbox) else { return }
        connection.listed.insert(.outbox)
        waiting.append(connection)
        connection.output.begin(in: &spare)
    }

    // MARK: Room

    /// Returns true while the connection's requests are handled; false until its client has read some output.
    func hasRoom(_ connection: Connection) -> Bool { connection.output.count < room(connection) }

    /// Returns the size of the connection's output at which its requests wait, in bytes.
    func room(_ connection: Connection) -> Int {
        let shared = max(limits.leastOutput, limits.memory - memory.used)
        return min(limits.output, shared) - transport.unsentCount(connection.id)
    }

    /// Returns the bytes of answers or pushes that may still be prefetched for the connection.
    func roomAhead(_ connection: Connection) -> Int {
        let waiting = waitingCount(connection)
        if memory.isExhausted, waiting > 0 || !goesOnWhenExhausted(connection) { return 0 }
        return max(0, ahead - waiting)
    }

    /// Returns true where the answer is short, or where the connection's own requests behind it fill the memory
    /// account.
    private func goesOnWhenExhausted(_ connection: Connection) -> Bool {
        connection.answer?.cursor.isShort == true || memory.isFilled(by: connection)
    }

    private var ahead: Int {
        switch memory.level {
        case .plenty: limits.ahead
        case .short, .full: min(limits.ahead, limits.leastOutput)
        // A client that reads its output is not held up by those that do not.
        case .spent: min(limits.leastOutput, Outbox.leastAhead)
        }
    }

    /// Returns true when the client has read everything that was sent.
    func isTaken(_ connection: Connection) -> Bool { transport.unsentCount(connection.id) == 0 }

    /// Returns the bytes that wait until the connection's client reads them.
    func waitingCount(_ connection: Connection) -> Int {
        let unsent = transport.unsentCount(connection.id)
        if let appended, appended.id == connection.id { return appended.count + unsent }
        return connection.output.count + unsent
    }

    // MARK: Sending

    /// Sends the output that depends on events up to this position.
    func release(through durable: Position) {
        // Filters the list by index, so that it keeps its storage.
        var kept = 0
        for index in waiting.indices {
            let connection = waiting[index]
            send(connection, through: durable)
            connections.touched.add(connection)
            if connection.output.isEmpty {
                connection.listed.remove(.outbox)
                connection.output.leave(in: &spare, keeping: keptStorage, atMost: Outbox.keptSpare)
            } else {
                waiting[kept] = connection
                kept += 1
            }
        }
        waiting.removeLast(waiting.count - kept)
    }

    private func send(_ connection: Connection, through durable: Position) {
        guard !connection.isClosed else { return connection.output.removeAll() }
        let count = connection.output.release(through: durable)
        guard count > 0 else { return }
        connection.client.sent += UInt64(count)
        figures.sent += UInt64(count)
        slow.left(connection)
        // Where the kernel did not take everything, the transport keeps a copy, and the storage is not needed soon.
        let isSent = transport.send(connection.id, connection.output.bytes.written.slice(0, count: count))
        connection.output.sent(count, keepingCapacity: isSent)
    }

    /// The storage that a connection without output keeps for later, in bytes.
    private var keptStorage: Int { memory.level == .plenty ? Outbox.keptOutput : 0 }

    /// Closes a connection that is ending, once all its output was handed to the transport.
    func finish(_ connection: Connection) {
        guard !connection.isClosed else { return }
        _ = connection.closed()
        // Once the daemon ends, a connection that has read everything is closed at once.
        transport.finish(connection.id, lingers: !life.isEnding)
    }

    /// Replaces each reply that depends on an undone event by a failure, also those in progress.
    ///
    /// - Parameters:
    ///   - durable: the last event that is not undone.
    ///   - failure: returns the failure for the last event that a reply depends on.
    func rollBack(to durable: Position, _ failure: (Position) -> Failure) {
        for connection in waiting {
            connection.output.rollBack(to: durable) { tag, restsOn, bytes in
                let failure = failure(restsOn)
                figures.failed(failure.code, of: connection)
                ReplyEncoder.append(failure, tag: tag, to: &bytes)
            }
        }
        for connection in connections.all { refuseUndoneAnswer(of: connection, failure, durable) }
    }

    private func refuseUndoneAnswer(
        of connection: Connection, _ failure: (Position) -> Failure, _ durable: Position
    ) {
        connection.asked.forget()
        guard let answer = connection.answer, answer.restsOn > durable else { return }
        let failure = failure(answer.restsOn)
        figures.failed(failure.code, of: connection)
        dropUnfinished(connection)
        write(to: connection, restsOn: .zero, durable: durable) {
            ReplyEncoder.append(failure, tag: answer.tag, to: &$0)
        }
        connection.answerEnded()
    }

    /// Removes all unsent output: it must not be sent any more.
    func removeAll() {
        for connection in waiting { connection.output.removeAll() }
        waiting = []
    }
}
