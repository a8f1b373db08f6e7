import StoryClient

/// The answer to a question: `{"rows":[…],"reply":{…}}`, each row as the store sent it, or the store's refusal.
///
/// A short answer is read whole, so that its status is right; the rest of a long one is read at the reader's pace. A
/// failure after the first rows is the member `error` in place of `reply`.
final class QueryAnswer: BodyStream {
    /// The bytes that are read before the answer begins.
    private static let firstBytes = 65_536
    /// The bytes of a piece.
    private static let pieceBytes = 16_384

    private let connections: QueryConnections
    private var held: QueryConnections.Held?
    /// True once the last line of the answer was read.
    private var isWhole = false
    private var rowCount = 0
    private var bytes: [UInt8] = []

    /// Takes a slot for a question.
    ///
    /// - Throws: `busy` where all are taken.
    private init(_ connections: QueryConnections) throws(ClientError) {
        try connections.begin()
        self.connections = connections
    }

    /// Another question may use the connection where this one has its whole answer.
    deinit { connections.end(isWhole ? held : nil) }

    /// Asks the store.
    static func ask(_ line: String, of connections: QueryConnections) -> HTTPAnswer {
        answer { () throws(ClientError) in try QueryAnswer(connections).answer(line) }
    }

    /// Returns the greeting of a connection that is made for it, as the reply to a question.
    static func greeting(of connections: QueryConnections) -> HTTPAnswer {
        answer { () throws(ClientError) in
            let answer = try QueryAnswer(connections)
            let held = try connections.connection(new: true)
            (answer.held, answer.isWhole) = (held, true)
            return .json(Array(#"{"rows":[],"reply":"#.utf8) + held.connection.greeting + Array("}\n".utf8))
        }
    }

    /// Returns the answer that `body` makes, or that of its error.
    private static func answer(_ body: () throws(ClientError) -> HTTPAnswer) -> HTTPAnswer {
        do throws(ClientError) { return try body() } catch { return StoreFailure.answer(error) }
    }

    /// Returns the rows of a short answer.
    ///
    /// - Throws: `ClientError`, also for a refusal.
    static func rows(_ line: String, of connections: QueryConnections) throws(ClientError) -> [ReplyLine] {
        let answer = try QueryAnswer(connections)
        var (rows, next) = ([ReplyLine](), try answer.first(line))
        while !next.isFinal {
            rows.append(next)
            next = try answer.line()
        }
        answer.isWhole = true
        guard next.kind == .done else { throw ClientError(Refusal(json: next.json)) }
        return rows
    }

    func next() -> BodyPiece {
        guard !isWhole || !bytes.isEmpty else { return .end }
        do throws(ClientError) {
            while bytes.count < QueryAnswer.pieceBytes, !isWhole { add(try line()) }
        } catch {
            return .cut
        }
        defer { bytes.removeAll(keepingCapacity: true) }
        return .bytes(bytes)
    }

    private func answer(_ request: String) throws(ClientError) -> HTTPAnswer {
        let first = try first(request)
        guard first.kind != .failed else {
            isWhole = true
            return StoreFailure.answer(refusal: first.json)
        }
        add(first)
        while bytes.count < QueryAnswer.firstBytes, !isWhole { add(try line()) }
        guard isWhole else { return .content("application/json", .stream(self)) }
        return .json(bytes)
    }

    /// Sends a request, and returns the first line of its answer.
    private func first(_ request: String) throws(ClientError) -> ReplyLine {
        try send(request, new: false)
        do throws(ClientError) {
            return try line()
        } catch {
            // The store may have closed a connection that was kept; a question is asked twice without harm.
            guard held?.isUsed == true, error == .connectionLost || error.code == .draining else { throw error }
            try send(request, new: true)
            return try line()
        }
    }

    private func send(_ request: String, new isNew: Bool) throws(ClientError) {
        let held = try connections.connection(new: isNew)
        self.held = held
        do throws(ClientError) {
            try held.connection.send(request)
        } catch {
            guard held.isUsed else { throw error }
            try send(request, new: true)
        }
    }

    /// Adds a line to the body.
    private func add(_ line: ReplyLine) {
        if rowCount == 0 { bytes += #"{"rows":["#.utf8 }
        guard line.isFinal else {
            if rowCount > 0 { bytes.append(UInt8(ascii: ",")) }
            rowCount += 1
            bytes += line.json
            return
        }
        isWhole = true
        bytes += (line.kind == .done ? #"],"reply":"# : #"],"error":"#).utf8
        bytes += line.json
        bytes += "}\n".utf8
    }

    /// Waits for the next line of the answer.
    private func line() throws(ClientError) -> ReplyLine {
        guard let connection = held?.connection else { throw .connectionLost }
        while true {
            if let line = try connection.arrivedLine() {
                if line.kind == .row || line.isFinal { return line }
                continue
            }
            guard !connection.isOver else { throw connection.ending }
            let patience = QueryConnections.patience.answering
            if try connection.wait(for: nil, within: patience) == .silence { throw .timedOut(after: patience) }
        }
    }
}
