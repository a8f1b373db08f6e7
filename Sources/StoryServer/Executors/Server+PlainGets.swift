import StoryCore
import StoryLog
import StoryModels
import StoryReactor
import StoryStorage
import StoryWire

/// The short way of `GET`: from the line's bytes to the record's bytes to the answer's, with nothing made in between.
///
/// It is the engine's `Browse` for the case that there is such a row and that all there is to see is durable. Then the
/// answer rests on nothing that a failed commit could undo, so it stands as it is. Every other case goes through the
/// engine.
extension Server {
    /// Answers the lines at the front that are such requests; how many there were.
    func answerPlainGets(_ connection: Connection, atMost greatest: Int) -> Int {
        guard !isDraining, turnFailure == nil, dependency.log.head == dependency.log.committed else { return 0 }
        guard let first = connection.machine.takePlainGet() else { return 0 }
        let began = dependency.clock.steady()
        let size = limits.output - reactor.unsentCount(connection.id)
        var output: [UInt8] = []
        swap(&output, &connection.output)
        journal.append(JournalEntry(connection: connection, request: nil, start: output.count))
        var missed: PlainGet?
        var count = 0
        var next: PlainGet? = first
        while let get = next {
            guard answer(get, &output) else {
                missed = get
                break
            }
            count += 1
            next = count < greatest && output.count < size ? connection.machine.takePlainGet() : nil
        }
        swap(&output, &connection.output)
        if count > 0 { figures.handled(.get, nanoseconds: (dependency.clock.steady() - began) / UInt64(count), count) }
        if let missed {
            handle(missed.request, connection)
            count += 1
        }
        connection.needsBytes = false
        return count
    }

    /// False when there is no such row, or it cannot be read: nothing was written.
    private func answer(_ get: PlainGet, _ output: inout [UInt8]) -> Bool {
        let store = dependency.store
        guard let head = StreamsModel.head(of: get.kind, get.id, in: store) else { return false }
        var isWritten = false
        Rows.lend(get.kind, head.number, in: store) { record in
            isWritten = ReplyEncoder.appendRow(get.kind, record, to: &output)
        }
        return isWritten
    }
}
