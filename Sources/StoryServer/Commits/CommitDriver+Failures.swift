import StoryCore
import StoryEngine
import StoryLog

/// Commits that were refused, and storage that failed.
extension CommitDriver {
    /// Forgets the events that are not acknowledged, and fails their replies.
    func rollBack(_ failure: Failure) {
        // Rows that were asked for are read as the requests found them.
        engine.flush()
        pause(failure)
        entry.beginNext()
        let keyed: Set<Position>
        do throws(StorageError) {
            keyed = failure == .outcomeUnknown ? try log.positionsWithKey(after: turn.acknowledged) : []
            try log.rollBack(to: turn.acknowledged)
        } catch {
            return perform(turn.rollBackFinished(.failure(error)))
        }
        engine.logRolledBack()
        checkpoints.rollBack()
        refolding.rolledBack(declared.rolledBack())
        connections.rolledBack(to: turn.acknowledged)
        effects.add(.undone(after: turn.acknowledged, failure))
        outbox.rollBack(to: turn.acknowledged) { keyed.contains($0) ? .outcomeOfKeyUnknown : failure }
        refold()
        perform(turn.rollBackFinished(.success(())))
    }

    /// Undoes the events that are not acknowledged, since the fold of an event met damage of the models. Until they are rebuilt,
    /// writes are refused, since more of them may need the damaged page.
    func foldFailed(_ error: StorageError) {
        guard models.damage != nil else { return fail(error) }
        refolding.eventWasHalfFolded()
        refusals.areModelsDamaged = true
        engine.writesRefused(refusals.failure)
        perform(turn.foldFailed(.storage(error)))
    }

    /// Folds a part of the events that the models lack, or all once the loop has ended; then requests that wait for them go
    /// on. Where they are damaged, those wait until others replace them.
    func refold(isLast: Bool = false) {
        guard !life.hasFailed else { return }
        do throws(StorageError) {
            guard try refolding.step(isLast: isLast) else { return }
            effects.add(.rolledBack)
            sendablePosition = life.hasFailed ? nil : turn.acknowledged
            transport.requestTurn()
        } catch {
            guard refolding.awaitsModels else { return fail(error) }
            refusals.areModelsDamaged = true
            engine.writesRefused(refusals.failure)
        }
    }

    /// Refuses writes for a while where the disk is full, or etcd.
    func pause(_ failure: Failure) {
        guard failure.code == .full else { return }
        if failure != .etcdFull {
            trace.sayEachSecond("full", ["reason": failure.message])
            figures.set(.full, true)
        }
        refusals.isFull(failure, at: tick)
        engine.writesRefused(refusals.failure)
    }

    /// Stops the process: the state of the disk is unknown, so no waiting output is sent.
    func stop(_ error: StorageError) {
        guard life.ended(.storageFailed(error)) else { return }
        trace.say("storage-failed", ["error": "\(error)", "then": "stopping: the disk is suspect"])
        sendablePosition = nil
        outbox.removeAll()
        transport.stop()
    }
}

extension EventLog {
    /// Returns the positions after this one of the events whose write has a key.
    fileprivate func positionsWithKey(after position: Position) throws(StorageError) -> Set<Position> {
        var found: Set<Position> = []
        try scan(from: position.next, through: head, order: .ascending) { record in
            if record.key != nil { found.insert(record.position) }
            return true
        }
        return found
    }
}
