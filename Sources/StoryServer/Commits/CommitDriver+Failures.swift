import StoryCore
import StoryEngine
import StoryLog

/// Commits that were refused, and storage that failed.
extension CommitDriver {
    /// Forgets the events that are not acknowledged, and fails their replies.
    func rollBack(_ failure: Failure) {
        pause(failure)
        entry.beginNext()
        let keyed: Set<Position>
        do throws(StorageError) {
            keyed = failure == .outcomeUnknown ? try log.positionsWithKey(after: turn.acknowledged) : []
            try log.rollBack(to: turn.acknowledged)
            try restoreModels()
        } catch {
            return perform(turn.rollBackFinished(.failure(error)))
        }
        connections.rolledBack(to: turn.acknowledged)
        outbox.rollBack(to: turn.acknowledged) { keyed.contains($0) ? .outcomeOfKeyUnknown : failure }
        if !isHalfFolded { undone() }
        guard stopReason == nil else { return }
        perform(turn.rollBackFinished(.success(())))
    }

    /// Undoes the events that are not acknowledged, since the fold of an event met damage of the models. Until they are rebuilt,
    /// writes are refused, since more of them may need the damaged page.
    func foldFailed(_ error: StorageError) {
        guard models.damage != nil else { return fail(error) }
        isHalfFolded = true
        refusals.areModelsDamaged = true
        engine.writesRefused(refusals.failure)
        perform(turn.foldFailed(.storage(error)))
    }

    /// Takes note that new models are served, into which all events were folded.
    func modelsRebuilt() {
        guard awaitsRebuild else { return }
        (awaitsRebuild, isHalfFolded) = (false, false)
        undone()
        sendablePosition = turn.acknowledged
        transport.requestTurn()
    }

    /// Has the definitions of models followed that the log has now, before anything is answered.
    private func undone() { effects.add(.rolledBack) }

    /// Refuses writes for a while where the disk is full.
    func pause(_ failure: Failure) {
        guard failure.code == .full else { return }
        trace.sayEachSecond("full", ["reason": failure.message])
        figures.set(.full, true)
        refusals.diskIsFull(failure, at: tick)
        engine.writesRefused(refusals.failure)
    }

    /// Rolls the models back to their checkpoint, from which they are folded again. Where the fold meets a damaged page,
    /// nothing may read them until new ones are built.
    private func restoreModels() throws(StorageError) {
        checkpoints.rollBack()
        try declared.rolledBack()
        do throws(StorageError) {
            // The events were in memory a moment ago; a checkpoint could meet the same full disk.
            try Recovery.fold(log, into: models, by: engine.plan, isStoring: false) { _, _ in }
            try engine.rolledBack()
            isHalfFolded = false
        } catch {
            guard case .corrupt = error, models.damage != nil else { throw error }
            engine.logRolledBack()
            (awaitsRebuild, isHalfFolded, refusals.areModelsDamaged) = (true, true, true)
            engine.writesRefused(refusals.failure)
        }
    }

    /// Stops the process: the state of the disk is unknown, so no waiting output is sent.
    func stop(_ error: StorageError) {
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
