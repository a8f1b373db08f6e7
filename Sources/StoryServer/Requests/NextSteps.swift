import StoryCore
import StoryEngine
import StoryReactor
import StoryWire

/// The computation of next steps, at the end of a turn.
struct NextSteps {
    let requests: Requests

    /// Computes the next step of each connection that has changed; of all connections where the memory level has
    /// dropped.
    func find() {
        goOn()
        let (memory, connections) = (requests.memory, requests.connections)
        if memory.level < requests.level { connections.all.forEach(connections.touched.add) }
        requests.level = memory.level
        goOn()
    }

    /// Discards the connection's spare input storage while client memory is short.
    private func giveBack(_ connection: Connection) {
        guard requests.memory.level > .plenty, connection.lines.bufferedCount == 0 else { return }
        connection.lines.discard()
    }

    private func goOn() {
        let (memory, outbox) = (requests.memory, requests.outbox)
        requests.reading.level = memory.level
        requests.connections.touched.forEach { connection in
            giveBack(connection)
            let isGone = requests.connections[connection.id] == nil
            memory.update(connection, unsent: requests.transport.unsentCount(connection.id), isGone: isGone)
            let durable = requests.driver.acknowledged
            let step = NextStep(NextStep.Facts(connection, outbox, memory.level, durable: durable))
            requests.reading.set(connection, step.input)
            if step.takesLine { requests.queue.add(connection, hadShare: true) }
            if step.isPublished { requests.publishing.goesOn(connection) }
            if step.isClosed { outbox.finish(connection) }
        }
    }
}

extension NextStep.Facts {
    /// Reads the facts of a connection.
    ///
    /// - Parameters:
    ///   - level: how far the client memory is used up.
    ///   - durable: the last durable event.
    fileprivate init(_ connection: Connection, _ outbox: Outbox, _ level: ClientMemory.Level, durable: Position) {
        (isOpen, isEnding) = (connection.isOpen, connection.isEnding)
        (buffered, hasLine) = (connection.lines.bufferedCount, connection.lines.hasBufferedLine)
        much = level == .plenty ? Reading.much : Reading.little
        hasRoom = outbox.hasRoom(connection)
        hasRoomAhead = outbox.roomAhead(connection) > 0
        (isTaken, isSent) = (outbox.isTaken(connection), connection.output.isEmpty)
        isAnswering = connection.answer != nil
        isFollowing = isTaken && !isAnswering && connection.session.active.areWanting(head: durable)
    }
}
