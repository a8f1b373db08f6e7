import StoryCore
import StoryEngine
import StoryStorage
import StoryWire

/// A batch of `GET` requests that are answered together, with their connections.
struct RowRequests: ~Copyable {
    private(set) var rows = WantedRows()
    private var connections: [Connection] = []
    private var kinds: [Kind] = []
    /// The number of timed requests in the batch.
    private(set) var timed = 0

    var isEmpty: Bool { connections.isEmpty }
    var isFull: Bool { rows.isFull }

    /// Adds a request; returns false for a row of a kind that was removed.
    mutating func add(
        _ kind: Kind, _ id: Identifier, tag: Tag?, from connection: Connection, to engine: Engine, isTimed: Bool
    ) -> Bool {
        guard engine.want(kind, id, tag: tag, in: &rows) else { return false }
        connections.append(connection)
        kinds.append(kind)
        if isTimed { timed += 1 }
        return true
    }

    /// Has the engine answer the batch.
    ///
    /// - Returns: the number of bytes written.
    func answer(by engine: Engine, into output: RequestOutput) -> Int {
        var (size, before) = (0, 0)
        engine.answer(rows, into: output) { index in
            if index > 0 { size += connections[index - 1].output.count - before }
            let connection = connections[index]
            before = connection.output.count
            output.begin(connection)
        }
        output.end()
        return size + (connections.last.map { $0.output.count - before } ?? 0)
    }

    /// Calls `body` with the connection of each request and the kind of its row.
    func forEach(_ body: (Connection, Kind) -> Void) {
        for (index, connection) in connections.enumerated() { body(connection, kinds[index]) }
    }

    mutating func clear() {
        rows.clear()
        connections.removeAll(keepingCapacity: true)
        kinds.removeAll(keepingCapacity: true)
        timed = 0
    }
}

extension Requests {
    /// Answers the batch of requests for rows.
    func answerRowRequests() {
        guard !rowRequests.isEmpty else { return }
        let began = rowRequests.timed > 0 ? dependency.clock.steady() : nil
        spent += rowRequests.answer(by: dependency.engine, into: handled) / Requests.unitSize
        if let began {
            let each = (dependency.clock.steady() - began) / UInt64(rowRequests.rows.count)
            for _ in 0..<rowRequests.timed { dependency.figures.took(.get, nanoseconds: each) }
        }
        rowRequests.forEach { dependency.slow.replied(.get, GivenNames(kind: $1), $0) }
        rowRequests.clear()
        if handled.hasFollowUp, let defect = handled.takeFollowUp().defect { trace(defect, of: .get) }
    }

    /// Traces a defect of the program that a request met.
    func trace(_ defect: Failure, of verb: Verb) {
        dependency.trace.sayEachSecond("defect", ["verb": verb.rawValue, "message": defect.message])
    }
}
