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
            memory.update(connection, unsent: transport.unsentCount(connection.id), isGone: isGone)
            let step = nextStep(of: connection)
            reading.set(connection, step.input)
            if step.takesLine { queue.add(connection, hadShare: true) }
            if step.isPublished { publishing.goesOn(connection) }
            if step.isClosed { outbox.finish(connection) }
        }
    }

    private func nextStep(of connection: Connection) -> NextStep {
        var facts = NextStep.Facts()
        (facts.isOpen, facts.isEnding) = (connection.isOpen, connection.isEnding)
        (facts.buffered, facts.hasLine) = (connection.lines.bufferedCount, connection.lines.hasBufferedLine)
        facts.much = memory.level == .plenty ? Reading.much : Reading.little
        facts.hasRoom = outbox.hasRoom(connection)
        facts.hasRoomAhead = outbox.roomAhead(connection) > 0
        (facts.isTaken, facts.isSent) = (outbox.isTaken(connection), connection.output.isEmpty)
        facts.isAnswering = connection.answer != nil
        let durable = driver.durable
        facts.isFollowing =
            facts.isTaken && !facts.isAnswering
            && connection.session.active.areWanting(head: durable)
        return NextStep(facts)
    }
}
