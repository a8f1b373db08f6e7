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

    /// What is prepared of an answer for a client that took everything, however much is kept for others.
    private static let leastAhead = 4_096

    private let transport: any Transport
    private let limits: Limits
    private let connections: Connections
    private let figures: Figures
    private let slow: SlowRequests
    private let memory: ClientMemory
    /// True once the program ends: whoever has taken what is his is not waited for.
    var isDraining = false
    @exclusivity(unchecked) private var waiting: [Connection] = []
    /// Storage of a connection that was told much, for the next one that has none.
    @exclusivity(unchecked) private var spare: [UInt8] = []

    init(
        _ transport: any Transport, _ limits: Limits, _ connections: Connections, _ memory: ClientMemory,
        _ figures: Figures, _ slow: SlowRequests
    ) {
        self.memory = memory
        self.figures = figures
        self.slow = slow
        self.transport = transport
        self.limits = limits
        self.connections = connections
    }

    // MARK: Writing

    /// Has the body write something whole for the connection, which rests on this position.
    @inline(__always)
    func write(
        to connection: Connection, restsOn position: Position, durable: Position, _ body: (inout [UInt8]) -> Void
    ) {
        list(connection)
        body(&connection.output.replies.bytes)
        connection.output.replies.close(restsOn: position, durable: durable)
    }

    /// Has the body write what is not whole yet, up to `close`.
    @inline(__always)
    func append<Result, Failure: Error>(
        to connection: Connection, _ body: (inout [UInt8]) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        list(connection)
        return try body(&connection.output.replies.bytes)
    }

    /// What was appended for the connection is whole, and rests on this position.
    func close(_ connection: Connection, restsOn position: Position, durable: Position) {
        connection.output.replies.close(restsOn: position, durable: durable)
    }

    /// Forgets what was appended for the connection and is not whole.
    func dropUnfinished(_ connection: Connection) { connection.output.replies.dropUnfinished() }

    /// The connection is sent what is there for it, and the next step is found out then.
    @inline(__always)
    private func list(_ connection: Connection) {
        guard !connection.listed.contains(.outbox) else { return }
        connection.listed.insert(.outbox)
        waiting.append(connection)
        connection.output.replies.begin(in: &spare)
    }

    // MARK: Room

    /// True while the connection's requests are answered; false until its reader has taken something.
    func hasRoom(_ connection: Connection) -> Bool { connection.output.count < room(connection) }

    /// How many bytes the connection's output may hold before its requests wait, until something is sent.
    func room(_ connection: Connection) -> Int {
        let shared = max(limits.leastOutput, limits.memory - memory.used)
        return min(limits.output, shared) - transport.unsentCount(connection.id)
    }

    /// How many bytes of an answer or of pushes may still be prepared ahead of the reader.
    func roomAhead(_ connection: Connection) -> Int {
        let waiting = waitingCount(connection)
        if memory.isExhausted, waiting > 0 || !goesOnWhenExhausted(connection) { return 0 }
        return max(0, ahead - waiting)
    }

    /// True where the answer is short, or the connection's own requests, which wait behind it, fill the account.
    private func goesOnWhenExhausted(_ connection: Connection) -> Bool {
        connection.answer?.cursor.isShort == true || memory.isFilled(by: connection)
    }

    private var ahead: Int {
        switch memory.level {
        case .plenty: limits.ahead
        case .short, .full: min(limits.ahead, limits.leastOutput)
        // A client that takes what it is sent is not held up by those that do not.
        case .spent: min(limits.leastOutput, Outbox.leastAhead)
        }
    }

    /// True when the reader took everything that was sent.
    func isTaken(_ connection: Connection) -> Bool { transport.unsentCount(connection.id) == 0 }

    /// How many bytes wait until the connection's reader takes them.
    func waitingCount(_ connection: Connection) -> Int {
        connection.output.count + transport.unsentCount(connection.id)
    }

    // MARK: Sending

    /// Sends what rests on events up to this position.
    func release(through durable: Position) {
        // By index, in place: the list keeps its memory.
        var kept = 0
        for index in waiting.indices {
            let connection = waiting[index]
            send(connection, through: durable)
            connections.touched.add(connection)
            if connection.output.isEmpty {
                connection.listed.remove(.outbox)
                connection.output.replies.leave(in: &spare, keeping: keptStorage, atMost: Outbox.keptSpare)
            } else {
                waiting[kept] = connection
                kept += 1
            }
        }
        waiting.removeLast(waiting.count - kept)
    }

    private func send(_ connection: Connection, through durable: Position) {
        guard !connection.isClosed else { return connection.output.replies.removeAll() }
        let count = connection.output.replies.release(through: durable)
        guard count > 0 else { return }
        connection.client.sent(count)
        figures.sent(count)
        slow.left(connection)
        guard count == connection.output.count else {
            transport.send(connection.id, Array(connection.output.replies.bytes[..<count]))
            return connection.output.replies.sent(count, keepingCapacity: true)
        }
        // What the kernel did not take the transport keeps, and the storage with it.
        let isSent = transport.send(connection.id, connection.output.replies.bytes)
        connection.output.replies.sent(count, keepingCapacity: isSent)
    }

    /// How much storage a connection with no output keeps for what it is told next.
    private var keptStorage: Int { memory.level == .plenty ? Outbox.keptOutput : 0 }

    /// Closes a connection that is ending, once everything was handed to the transport.
    func finish(_ connection: Connection) {
        guard !connection.isClosed else { return }
        connection.closed()
        transport.finish(connection.id, lingers: !isDraining)
    }

    /// Replaces each reply that rests on an undone event by this failure, also those that are being written.
    func rollBack(to durable: Position, _ failure: Failure) {
        for connection in waiting {
            connection.output.replies.rollBack(to: durable) { tag, bytes in
                figures.failed(failure.code)
                connection.client.failed()
                ReplyEncoder.append(.failed(failure), tag: tag, to: &bytes)
            }
        }
        for connection in connections.all { refuseUndoneAnswer(of: connection, failure, durable) }
    }

    private func refuseUndoneAnswer(of connection: Connection, _ failure: Failure, _ durable: Position) {
        connection.asked.forget()
        guard let answer = connection.answer, answer.restsOn > durable else { return }
        figures.failed(failure.code)
        connection.client.failed()
        dropUnfinished(connection)
        write(to: connection, restsOn: .zero, durable: durable) {
            ReplyEncoder.append(.failed(failure), tag: answer.tag, to: &$0)
        }
        connection.answerEnded()
    }

    /// Forgets everything that was not sent: it must not leave any more.
    func removeAll() {
        for connection in waiting { connection.output.replies.removeAll() }
        waiting = []
    }
}

/// What one connection is told and was not sent yet. Only the outbox writes to it, and lists its connection for sending
/// as it does so.
struct Outlet {
    fileprivate var replies = ConnectionOutput()

    var isEmpty: Bool { replies.isEmpty }
    var count: Int { replies.count }
    /// How much storage it holds, in bytes.
    var storageCount: Int { replies.bytes.capacity }
}
