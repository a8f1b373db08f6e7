import StoryCore
import StoryEngine
import StoryLog
import StoryModels
import StoryStorage
import StoryWire

/// The short ways: plain `GET` and `APPEND` lines, from their bytes to the reply's with nothing made in between.
///
/// They are the engine's `Browse` and `AppendEvents` for the most frequent case. Every other case goes through the
/// engine. Their replies rest on positions like all others.
extension Requests {
    /// Handles the lines at the front that have a short way; returns how many there were.
    func takePlainLines(_ connection: Connection, atMost limit: Int) -> Int {
        let gets = takePlainGets(connection, atMost: limit)
        return gets > 0 ? gets : takePlainAppends(connection, atMost: limit)
    }

    private func takePlainGets(_ connection: Connection, atMost limit: Int) -> Int {
        guard !dependency.engine.isDraining, var next = connection.lines.takePlainGet() else { return 0 }
        let began = dependency.clock.steady()
        var count = 0
        while true {
            guard answer(next, connection) else {
                handle(next.request, connection)
                return count + 1
            }
            count += 1
            guard count < limit, outbox.hasRoom(connection), let another = connection.lines.takePlainGet() else {
                break
            }
            next = another
        }
        dependency.figures.handled(.get, count)
        let nanoseconds = (dependency.clock.steady() - began) / UInt64(count)
        dependency.figures.took(.get, nanoseconds: nanoseconds)
        return count
    }

    /// False when there is no such row, or it cannot be read: nothing was written.
    private func answer(_ get: PlainGet, _ connection: Connection) -> Bool {
        let models = dependency.models
        guard let head = StreamsModel.head(of: get.kind, get.id, in: models) else { return false }
        var isWritten = false
        Rows.lend(get.kind, head.number, in: models) { record in
            isWritten = ReplyEncoder.appendRow(get.kind, record, to: &connection.output.bytes)
        }
        if isWritten { connection.output.close(restsOn: head.position, durable: driver.durable) }
        return isWritten
    }

    private func takePlainAppends(_ connection: Connection, atMost limit: Int) -> Int {
        guard driver.takesAppends, !driver.holdsWrites, var next = takePlainAppend(connection) else { return 0 }
        let began = dependency.clock.steady()
        let time = now()
        var count = 0
        while true {
            guard append(next, connection, time) else {
                handle(next.request, connection)
                return count + 1
            }
            count += 1
            guard count < limit, outbox.hasRoom(connection), driver.takesAppends,
                let another = takePlainAppend(connection)
            else { break }
            next = another
        }
        dependency.figures.handled(.append, count)
        let nanoseconds = (dependency.clock.steady() - began) / UInt64(count)
        dependency.figures.took(.append, nanoseconds: nanoseconds)
        return count
    }

    private func takePlainAppend(_ connection: Connection) -> PlainAppend? {
        connection.lines.takePlainAppend(dependency.reader, role: connection.session.peer.role)
    }

    /// False when the engine takes no such writes now: nothing was done.
    private func append(_ line: PlainAppend, _ connection: Connection, _ time: Instant) -> Bool {
        let uid = connection.session.peer.uid
        guard
            let event = dependency.engine.appendPlainly(
                to: line.stream, categoryCount: line.categoryCount, typeCount: line.type.count, by: uid, now: time)
        else { return false }
        driver.append(event) { EventEncoder.append(event, line, to: &$0) }
        ReplyEncoder.appendReceipt(event, line.stream, to: &connection.output.bytes)
        connection.output.close(restsOn: event.position, durable: driver.durable)
        connection.session.wrote(event.position)
        return true
    }
}
