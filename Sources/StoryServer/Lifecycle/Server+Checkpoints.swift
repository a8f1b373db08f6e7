import StoryCore
import StoryLog
import StoryReactor
import StoryWire

/// Why the log could not be flushed, and when it is tried again.
struct FlushRefusal {
    let error: StorageError
    let retryTick: UInt64
}

/// When the models are written to disk.
extension Server {
    func checkpointIfDue() {
        if !awaitingCheckpoint.isEmpty { checkpointEnded() }
        guard checkpointer.isDue(head: log.committed) else { return }
        checkpointer.holdBack()
        checkpointEnded()
        beginCheckpoint()
    }

    /// Begins to write the models down, unless that is under way already; answers why it cannot.
    ///
    /// The log is flushed first: stored models that knew more than the log would have to be thrown away with a journal
    /// that is lost.
    @discardableResult
    func beginCheckpoint() -> StorageError? {
        // In the middle of a turn the models have folded what is not committed.
        guard !checkpointer.isRunning, log.head == log.committed, log.committed > checkpointer.checkpointed else {
            return nil
        }
        if let refusal = flushLog() { return refusal }
        checkpointer.start(at: log.flushed)
        return nil
    }

    /// Writes the models down for the last time.
    func endCheckpoints() {
        checkpointer.wait()
        flushRefusal = nil
        let refusal = beginCheckpoint()
        checkpointer.wait()
        if let failure = refusal ?? checkpointer.failure {
            dependency.trace.say("checkpoint-failed", ["error": "\(failure)", "then": "the next start folds more"])
        }
    }

    /// Lets the log take over what its journal holds; answers why it cannot. For a second after that it is not tried.
    func flushLog() -> StorageError? {
        guard fatal == nil, log.head == log.committed, log.flushed < log.committed else {
            if log.flushed == log.committed { flushRefusal = nil }
            return nil
        }
        if let flushRefusal, ticks < flushRefusal.retryTick { return flushRefusal.error }
        do throws(StorageError) {
            try log.flush()
            flushRefusal = nil
            return nil
        } catch {
            flushFailed(error)
            return error
        }
    }

    /// Called when a flush beside the loop has ended.
    func flushEnded() {
        guard fatal == nil else { return }
        do throws(StorageError) { try log.pollFlush() } catch { flushFailed(error) }
    }

    private func flushFailed(_ error: StorageError) {
        guard case .full = error else {
            dependency.trace.say("storage-failed", ["error": "\(error)", "then": "stopping: the disk is suspect"])
            fatal = error
            return
        }
        if flushRefusal == nil { dependency.trace.say("flush-failed", ["reason": "\(error)"]) }
        flushRefusal = FlushRefusal(error: error, retryTick: ticks + 10)
    }

    /// Called with every tick: while nothing comes in, full blocks are flushed.
    func flushIfIdle() {
        if fatal == nil, log.committed == committedAtTick { log.startFlush() }
        committedAtTick = log.committed
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
                resume(connection, .failed(Server.refusal(ofCheckpoint: failure)), tag)
            } else if position <= checkpointer.checkpointed {
                let members = [Member("position", .count(checkpointer.checkpointed.value))]
                resume(connection, .done(.members(members)), tag)
            } else {
                awaitingCheckpoint.append((connection, tag, position))
            }
        }
        guard !awaitingCheckpoint.isEmpty, let refusal = beginCheckpoint() else { return }
        let refused = awaitingCheckpoint
        awaitingCheckpoint = []
        for (connection, tag, _) in refused {
            resume(connection, .failed(Server.refusal(ofCheckpoint: refusal)), tag)
        }
    }

    private static func refusal(ofCheckpoint error: StorageError) -> Failure {
        Failure(.full, "the models were not written: \(error)")
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
