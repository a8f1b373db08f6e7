import StoryCore
import StoryEngine
import StoryLog

/// Commits that were refused, and storage that failed.
extension CommitDriver {
    /// Forgets the events that are not acknowledged, and fails their replies.
    func rollBack(_ failure: Failure) {
        pause(failure)
        entry.beginNext()
        do throws(StorageError) {
            try restoreAcknowledged()
            try engine.rolledBack()
        } catch {
            return perform(turn.rollBackFinished(.failure(error)))
        }
        connections.rolledBack(to: turn.acknowledged)
        outbox.rollBack(to: turn.acknowledged, failure)
        perform(turn.rollBackFinished(.success(())))
    }

    /// Refuses writes for a while where the disk is full.
    func pause(_ failure: Failure) {
        guard failure.code == .full else { return }
        trace.sayEachSecond("full", ["reason": failure.message])
        figures.set(.full, true)
        refusals.diskIsFull(failure, at: tick)
        engine.writesRefused(refusals.failure)
    }

    /// Rolls the log back to its acknowledged events, and the models to their checkpoint, from which they are folded
    /// again.
    private func restoreAcknowledged() throws(StorageError) {
        try log.rollBack(to: turn.acknowledged)
        checkpoints.rollBack()
        // The events were in memory a moment ago; a checkpoint could meet the same full disk.
        try Recovery.fold(log, into: models, by: engine.plan, isStoring: false) { _, _ in }
    }

    /// Stops the process: the state of the disk is unknown, so no waiting output is sent.
    func stop(_ error: StorageError) {
        trace.say("storage-failed", ["error": "\(error)", "then": "stopping: the disk is suspect"])
        sendablePosition = nil
        outbox.removeAll()
        transport.stop()
    }
}
