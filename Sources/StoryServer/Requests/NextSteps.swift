import StoryCore
import StoryEngine
import StoryReactor
import StoryWire

/// The end of a turn.
extension Requests {
    /// Finds out the next step of each connection about which something has changed; of all where there is more memory for
    /// them than before.
    func findNextSteps() {
        goOn()
        if memory.level < level { connections.all.forEach(connections.touched.add) }
        level = memory.level
        goOn()
    }

    /// Where much is kept for clients, a connection keeps no storage for later.
    private func giveBack(_ connection: Connection) {
        guard memory.level > .plenty, connection.lines.bufferedCount == 0 else { return }
        connection.lines.discard()
    }

    private func goOn() {
        reading.level = memory.level
        connections.touched.forEach { connection in
            giveBack(connection)
            let isGone = connections[connection.id] == nil
            memory.update(connection, unsent: dependency.transport.unsentCount(connection.id), isGone: isGone)
            let step = NextStep(NextStep.Facts(connection, outbox, memory.level, durable: driver.durable))
            reading.set(connection, step.input)
            if step.takesLine { queue.add(connection, hadShare: true) }
            if step.isPublished { publishing.goesOn(connection) }
            if step.isClosed { outbox.finish(connection) }
        }
    }
}

extension NextStep.Facts {
    /// - Parameters:
    ///   - level: how far the account of what is kept for clients is used up.
    ///   - durable: the last event that is durable.
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
