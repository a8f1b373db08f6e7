import StoryCore
import StoryFold

/// `GET`: one row, now or at an earlier moment.
struct Browse {
    let kind: KindSchema
    let key: RowKey
    let world: World
    /// The last event that the models have.
    let head: Position
    let tag: Tag?
    let output: any TurnOutput

    // Computed, since only a failure needs the text, and a `GET` that finds its row is the most frequent request.
    private var target: String { kind.address(key) }

    /// Answers for a row that is not there, or whose stored bytes are damaged. The answer rests on the stream's last
    /// event.
    ///
    /// - Parameter record: the stored bytes; nil if there is no row.
    /// - Throws: `.corrupt` if the row is damaged; otherwise the error of the read.
    func missed(_ record: UnsafeRawBufferPointer?) throws(StorageError) {
        guard record == nil else { throw .corrupt("a stored row of \(kind.name) is damaged", at: nil) }
        guard kind.program == nil else { return refuse(.notFound(target), basis(head)) }
        guard let head = try world.streams.head(of: stream) else { return refuse(.notFound(target), .zero) }
        refuse(try world.gone(target, head), basis(head.position))
    }

    /// Answers with a read error.
    func failed(_ error: StorageError) { refuse(.storage(error), .zero) }

    /// Answers with the row at a moment: as the kind's history has it, or folded again in steps if it has changed since.
    ///
    /// - Throws: like `missed`.
    func at(_ moment: Moment) throws(StorageError) {
        let basis = self.basis(head)
        if kind.program?.hasHistory == true { return try inHistory(at: moment, basis) }
        guard kind.areRowsOfOneStream else { return refuse(.hasNoPast(kind), basis) }
        guard let stream = kind.stream(of: key), let head = try world.streams.head(of: stream) else {
            return refuse(.notFound(target), basis)
        }
        let position: Position
        do throws(Failure) {
            position = try world.position(of: moment, endingAt: self.head)
        } catch {
            return refuse(error, basis)
        }
        if position >= head.position {
            let isThere = try world.rows(of: kind).row(kind, key) { output.row($0, tag: tag, restsOn: basis) }
            guard !isThere else { return }
        }
        let cursor = PastRow(
            target, at: moment.text, isGone: kind.program == nil,
            world.history(of: head, kind, key, through: position), restsOn: basis)
        output.answer(with: cursor, tag: tag, restsOn: basis)
    }

    private func inHistory(at moment: Moment, _ basis: Position) throws(StorageError) {
        let position: Position
        do throws(Failure) {
            position = try world.position(of: moment, endingAt: head)
        } catch {
            return refuse(error, basis)
        }
        let isThere = try world.past(kind, key, at: position) { output.row($0, tag: tag, restsOn: basis) }
        if !isThere { refuse(.notThere(target, at: moment.text), basis) }
    }

    private var stream: StreamName { kind.stream(key.id) }

    private func refuse(_ failure: Failure, _ basis: Position) {
        output.reply(.failed(failure), tag: tag, restsOn: basis)
    }

    /// Returns the basis of a reply that depends on an event: zero if everything is durable.
    private func basis(_ position: Position) -> Position {
        head > output.durable ? position : .zero
    }
}

extension World {
    /// Returns the refusal for an ID whose row was removed, by the last event of its stream.
    ///
    /// - Throws: the error of the read.
    func gone(_ target: String, _ head: StreamHead) throws(StorageError) -> Failure {
        var erased: Position?
        try log.records(at: [head.position]) { record in
            erased = record.erased
            return false
        }
        return .gone(target, erased: erased)
    }
}

extension Moment {
    /// The moment as text within a sentence.
    fileprivate var text: String {
        switch self {
        case .position(let position): "position \(position.value)"
        case .time(let time): time.text
        }
    }
}

/// A cursor that folds a stream's events up to a position in steps. The past does not change between them.
final class PastRow: AnswerCursor {
    private let target: String
    /// The moment as text within a sentence.
    private let moment: String
    /// True when a row that was removed is `gone`, not `notFound`.
    private let isGone: Bool
    private let basis: Position
    private var history: HistoryFold

    init(_ target: String, at moment: String, isGone: Bool, _ history: HistoryFold, restsOn basis: Position) {
        (self.target, self.moment, self.isGone) = (target, moment, isGone)
        self.basis = basis
        self.history = history
    }

    func step(into lines: any AnswerLines) throws(StorageError) -> CursorStep {
        try history.fold(charging: lines) ? .ended(reply, restsOn: basis) : .more
    }

    var keptBytes: Int { 1_024 + history.past.keptBytes }

    private var reply: Reply {
        if let row = history.past.row { return .done(.row(row)) }
        guard history.position > .zero, isGone else {
            return .failed(Failure(.notFound, "there was no \(target) yet at \(moment)"))
        }
        return .failed(.gone(target, erased: history.erased))
    }
}

extension Failure {
    /// Returns the refusal of `at=` for rows that events of several streams change.
    fileprivate static func hasNoPast(_ kind: KindSchema) -> Failure {
        let hint = kind.program == nil ? "leave at= out" : "leave at= out, or define the model with the line: history"
        return .invalid(
            "at", .notSelected, "\(kind.name) are changed by several streams, so they have no past; \(hint)")
    }

    fileprivate static func notThere(_ target: String, at moment: String) -> Failure {
        Failure(.notFound, "there was no \(target) at \(moment)")
    }
}

/// A batch of `GET` requests for present rows that are answered together, in their order.
///
/// A row is rarely in the cache, so the rows are looked up interleaved, and their cache misses overlap.
struct RequestedRows: ~Copyable {
    /// The request for a row.
    private struct Item {
        let kind: Kind
        let tag: Tag?
    }

    fileprivate var keys = KeyBatch()
    private var items: [Item] = []

    /// Creates an empty batch.
    init() { items.reserveCapacity(KeyBatch.capacity) }

    /// The number of rows.
    fileprivate var count: Int { keys.count }
    /// True if there is no room for another row.
    var isFull: Bool { keys.isFull }

    /// Removes all rows.
    mutating func clear() {
        keys.clear()
        items.removeAll(keepingCapacity: true)
    }

    /// Adds a row and copies its key; there must be room.
    ///
    /// - Parameter table: the table of the kind's rows.
    mutating func add(_ table: UInt8, _ kind: Kind, _ key: RowKey, _ tag: Tag?) {
        key.spelling.withUnsafeBytes { keys.addRow($0, in: table) }
        items.append(Item(kind: kind, tag: tag))
    }

    fileprivate func kind(_ index: Int) -> Kind { items[index].kind }
    fileprivate func tag(_ index: Int) -> Tag? { items[index].tag }
    /// Returns the key of a row; it is valid until the batch changes.
    fileprivate func key(_ index: Int) -> RowKey {
        RowKey(trusted: ByteView(borrowing: keys.rowKey(index)))
    }
}

/// `GET` of several present rows: looked up interleaved, answered one after the other.
struct BrowseTogether {
    let world: World
    /// The store of the rows.
    let store: any TableStore
    /// The last event that the models have.
    let head: Position
    let output: any TurnOutput

    /// Answers each row, in the order of the requests.
    func answer(_ rows: borrowing RequestedRows) {
        let (catalogue, isAllDurable) = (world.catalogue, head <= output.durable)
        do throws(StorageError) {
            try store.withValues(at: rows.keys) { index, value in
                output.rowBegins(index)
                guard let layout = catalogue.layout(of: rows.kind(index)) else {
                    // The kind was removed after the request was read.
                    return output.reply(.failed(.removedKind), tag: rows.tag(index), restsOn: head)
                }
                guard let value, let row = RowView(layout, value) else { return missed(rows, index, value) }
                output.row(row, tag: rows.tag(index), restsOn: isAllDurable ? .zero : basis(of: row, rows.kind(index)))
            }
        } catch {
            for index in 0..<rows.count {
                output.rowBegins(index)
                output.reply(.failed(.storage(error)), tag: rows.tag(index), restsOn: .zero)
            }
        }
    }

    /// Returns the last event that a row's answer rests on. Which definition answers for a declared model depends on the
    /// log's last events.
    private func basis(of row: RowView, _ kind: Kind) -> Position {
        world.areRowsStoredTogether(kind) ? row.position : head
    }

    /// Answers for a row that is not there, or is damaged.
    private func missed(_ rows: borrowing RequestedRows, _ index: Int, _ value: UnsafeRawBufferPointer?) {
        let browse = Browse(
            kind: world.schema(rows.kind(index)), key: rows.key(index), world: world, head: head,
            tag: rows.tag(index), output: output)
        do throws(StorageError) { try browse.missed(value) } catch { browse.failed(error) }
    }
}
