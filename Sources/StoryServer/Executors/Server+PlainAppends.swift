import StoryCore
import StoryEngine
import StoryReactor
import StoryStorage
import StoryWire

/// The short way of `APPEND`: from the line's bytes to the log's record and the receipt, with nothing made in between.
///
/// It is the engine's `AppendEvents` for one event without options, which nothing but a full disk can refuse. Every
/// other case goes through the engine's inputs and effects.
extension Server {
    /// Carries out the lines at the front that are such requests; how many there were.
    func appendPlainly(_ connection: Connection, atMost greatest: Int) -> Int {
        guard turnFailure == nil, var next = takePlainAppend(connection) else { return 0 }
        let began = dependency.clock.steady()
        let time = now()
        let size = limits.output - reactor.unsentCount(connection.id)
        var output: [UInt8] = []
        swap(&output, &connection.output)
        let start = output.count
        var missed: PlainAppend?
        var count = 0
        while true {
            guard append(next, connection.peer, time, &output) else {
                missed = next
                break
            }
            count += 1
            guard count < greatest, output.count < size, turnFailure == nil, let another = takePlainAppend(connection)
            else { break }
            next = another
        }
        swap(&output, &connection.output)
        if count > 0 {
            journal.append(JournalEntry(connection: connection, request: nil, start: start, appends: count))
            figures.handled(.append, nanoseconds: (dependency.clock.steady() - began) / UInt64(count), count)
        }
        connection.needsBytes = false
        guard let missed else { return count }
        handle(missed.request, connection)
        return count + 1
    }

    private func takePlainAppend(_ connection: Connection) -> PlainAppend? {
        connection.machine.takePlainAppend(dependency.reader, role: connection.peer.role)
    }

    /// False when the engine takes no such writes now: nothing was done.
    private func append(_ line: PlainAppend, _ peer: Peer, _ time: Instant, _ output: inout [UInt8]) -> Bool {
        guard
            let place = dependency.engine.appendPlainly(
                to: line.stream, categoryCount: line.categoryCount, typeCount: line.type.count, by: peer.uid, now: time)
        else { return false }
        write(place) { EventEncoder.append(place, line, to: &$0) }
        ReplyEncoder.appendReceipt(place, line.stream, to: &output)
        return true
    }
}
