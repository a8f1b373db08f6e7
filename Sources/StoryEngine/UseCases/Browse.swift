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
        refuse(.gone(target), basis(head.position))
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
        return .failed(.gone(target))
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
