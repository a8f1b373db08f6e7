import StoryCore
import StoryEngine
import StoryStorage
import StoryWire

/// The `GET`s that were taken up and are answered together, with who asked.
struct RowRequests: ~Copyable {
    private(set) var rows = WantedRows()
    private var connections: [Connection] = []
    private var kinds: [Kind] = []
    /// How many of them are timed.
    private(set) var timed = 0

    var isEmpty: Bool { connections.isEmpty }
    var isFull: Bool { rows.isFull }

    mutating func add(
        _ kind: Kind, _ id: Identifier, tag: Tag?, from connection: Connection, to engine: Engine, isTimed: Bool
    ) {
        engine.want(kind, id, tag: tag, in: &rows)
        connections.append(connection)
        kinds.append(kind)
        if isTimed { timed += 1 }
    }

    /// Has the engine answer them.
    ///
    /// - Returns: how many bytes were written.
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

    /// Calls the body with each connection that asked, and the kind of its row.
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
    /// Answers the requests for rows that were taken up.
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
        if handled.hasRest, let defect = handled.takeRest().defect { trace(defect, of: .get) }
    }

    /// Says in the trace that a request met a defect of the program's own.
    func trace(_ defect: Failure, of verb: Verb) {
        dependency.trace.sayEachSecond("defect", ["verb": verb.rawValue, "message": defect.message])
    }
}
