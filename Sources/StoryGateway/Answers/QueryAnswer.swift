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

    private init(_ connections: QueryConnections) { self.connections = connections }

    /// Another question may use the connection where this one has its whole answer.
    deinit { connections.end(isWhole ? held : nil) }

    /// Asks the store.
    static func ask(_ line: String, of connections: QueryConnections) -> HTTPAnswer {
        guard connections.begin() else {
            return StoreFailure.busy(tooMany)
        }
        let answer = QueryAnswer(connections)
        do throws(ClientError) {
            return try answer.first(line)
        } catch {
            return StoreFailure.answer(error)
        }
    }

    /// Returns the greeting of a connection that is made for it, as the reply to a question.
    static func greeting(of connections: QueryConnections) -> HTTPAnswer {
        guard connections.begin() else { return StoreFailure.busy(tooMany) }
        do throws(ClientError) {
            let held = try connections.connection(new: true)
            defer { connections.end(held) }
            return .json(Array(#"{"rows":[],"reply":"#.utf8) + held.connection.greeting + Array("}\n".utf8))
        } catch {
            connections.end(nil)
            return StoreFailure.answer(error)
        }
    }

    private static var tooMany: String { "\(QueryConnections.most) questions are asked at a time; ask again" }

    /// Returns the rows of a short answer.
    ///
    /// - Throws: `ClientError`, also for a refusal.
    static func rows(_ line: String, of connections: QueryConnections) throws(ClientError) -> [ReplyLine] {
        guard connections.begin() else { throw .busy(message: tooMany) }
        let answer = QueryAnswer(connections)
        try answer.send(line, new: false)
        var rows: [ReplyLine] = []
        while true {
            let line = try answer.line()
            guard line.isFinal else {
                rows.append(line)
                continue
            }
            answer.isWhole = true
            guard line.kind == .done else { throw ClientError(Refusal(json: line.json)) }
            return rows
        }
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

    private func first(_ request: String) throws(ClientError) -> HTTPAnswer {
        try send(request, new: false)
        let first: ReplyLine
        do throws(ClientError) {
            first = try line()
        } catch {
            // The store may have closed a connection that was kept; a question is asked twice without harm.
            guard held?.isUsed == true, error == .connectionLost || error.code == .draining else { throw error }
            try send(request, new: true)
            first = try line()
        }
        guard first.kind != .failed else {
            isWhole = true
            return StoreFailure.answer(refusal: first.json)
        }
        add(first)
        while bytes.count < QueryAnswer.firstBytes, !isWhole { add(try line()) }
        guard isWhole else { return .content("application/json", .stream(self)) }
        return .json(bytes)
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
