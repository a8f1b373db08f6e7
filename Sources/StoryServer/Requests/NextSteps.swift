import StoryCore
import StoryEngine
import StoryReactor
import StoryWire

/// The computation of next steps, at the end of a turn.
extension Requests {
    /// Computes the next step of each connection that has changed; of all connections where the memory level has
    /// dropped.
    func findNextSteps() {
        goOn()
        if memory.level < level { clients.connections.all.forEach(clients.connections.touched.add) }
        level = memory.level
        goOn()
    }

    private func goOn() {
        reading.level = memory.level
        let (connections, outbox) = (clients.connections, clients.outbox)
        connections.touched.forEach { connection in
            // Spare input storage is not kept while client memory is short.
            if memory.level > .plenty, let conversation = connection.conversation,
                conversation.lines.bufferedCount == 0
            {
                conversation.lines.discard()
            }
            let isGone = connections[connection.id] == nil
            memory.update(connection, unsent: transport.unsentCount(connection.id), isGone: isGone)
            let step = NextStep(NextStep.Facts(connection, outbox, memory.level, durable: driver.acknowledged))
            reading.set(connection, step.input)
            if step.takesLine { clients.queue.add(connection, hadShare: true) }
            if step.isPublished { clients.publishing.goesOn(connection) }
            if step.isClosed { outbox.finish(connection) }
        }
    }
}

extension NextStep.Facts {
    /// Reads the facts of a connection; `durable`: the last durable event.
    fileprivate init(_ connection: Connection, _ outbox: Outbox, _ level: ClientMemory.Level, durable: Position) {
        (isOpen, isEnding) = (connection.isOpen, connection.isEnding)
        much = level == .plenty ? Reading.much : Reading.little
        hasRoom = outbox.hasRoom(connection)
        hasRoomAhead = outbox.roomAhead(connection) > 0
        (isTaken, isSent) = (outbox.isTaken(connection), connection.output.isEmpty)
        isAnswering = connection.answer != nil
        guard let conversation = connection.conversation else { return }
        (buffered, hasLine) = (conversation.lines.bufferedCount, conversation.lines.hasBufferedLine)
        isFollowing = isTaken && !isAnswering && conversation.session.active.areWanting(head: durable)
    }
}
