import StoryCore
import StoryLog
import StoryReactor
import StoryWire

/// When the models are written to disk.
extension Server {
    func checkpointIfDue() {
        guard checkpointer.isDue(head: log.committed) else { return }
        checkpointer.holdBack()
        checkpointEnded()
        checkpointer.start(at: log.committed)
    }

    /// Answers those who waited for what was written.
    func checkpointEnded() {
        _ = checkpointer.poll()
        guard !checkpointer.isRunning else { return }
        if let failure = checkpointer.failure { dependency.trace.say("checkpoint-failed", ["error": "\(failure)"]) }
        let waiting = awaitingCheckpoint
        awaitingCheckpoint = []
        for (connection, tag, position) in waiting {
            if let failure = checkpointer.failure {
                resume(connection, .failed(Failure(.full, "the models were not written: \(failure)")), tag)
            } else if position <= checkpointer.checkpointed {
                let members = [Member("position", .count(checkpointer.checkpointed.value))]
                resume(connection, .done(.members(members)), tag)
            } else {
                awaitingCheckpoint.append((connection, tag, position))
            }
        }
        if !awaitingCheckpoint.isEmpty { checkpointer.start(at: log.committed) }
    }

    func resume(_ connection: Connection, _ reply: Reply, _ tag: Tag?) {
        connection.isAwaiting = false
        answer(reply, tag, connection)
        markReady(connection)
        reactor.requestTurn()
    }

    /// `CHECKPOINT` covers everything that was acknowledged before it, and what its own turn commits.
    func awaitCheckpoint(_ session: SessionID, _ tag: Tag?) {
        guard let connection = connection(of: session) else { return }
        connection.isAwaiting = true
        awaitingCheckpoint.append((connection, tag, log.head))
        markReady(connection)
        // The checkpoint begins after this turn's commit.
        reactor.waker.wake()
    }
}
