import StoryCore
import StoryEngine

/// Checkpoints of the models, of the built-in kinds and of the declared ones.
extension CommitDriver {
    /// Advances the checkpoint in progress, or begins one where it is due and all folded events are durable.
    func storeIfDue() {
        checkpoints.advance()
        if let position = turn.checkpointPosition { freezeIfDue(at: position) }
        let pressure = checkpoints.pressure
        (isMemoryShort, refusals.isMemoryFull) = (pressure == .hold || declared.holdsMuch, pressure == .refuse)
        refusals.isTailFull = committer.refusesWrites
        if refusals.areModelsDamaged { refusals.areModelsDamaged = models.damage != nil }
        engine.writesRefused(refusals.failure)
    }

    /// Begins to store the events that are acknowledged and not stored, where that is done beside the commits.
    ///
    /// - Parameter isLast: whether the process ends: a disk that was full a moment ago is no reason to wait.
    func storeBeside(isLast: Bool = false) {
        guard !life.hasFailed, !isWaitingForFlush, isLast || !refusals.isDiskFull else { return }
        do throws(StorageError) { try committer.storeBeside(through: acknowledged) } catch {
            perform(turn.spaceRefused(error))
        }
    }

    /// Begins a checkpoint before it is due, where there are events to store.
    func storeIfQuiet() {
        guard !isHalfFolded, let position = turn.checkpointPosition else { return }
        storing.begin(at: position)
    }

    /// Begins the checkpoints that are due. It is called with a commit that begins as well: with back-to-back commits, never
    /// is everything durable. Models that lack events are not stored.
    func freezeIfDue(at position: Position) { storing.advance(at: position, mayBegin: !isHalfFolded) }

    /// Stores the models for the last time and waits for it, after the loop has ended.
    func storeAtEnd() {
        checkpoints.wait()
        var stored: Position?
        defer { declared.end(at: stored) }
        guard !isHalfFolded, let position = turn.checkpointPosition else { return }
        do throws(StorageError) { try flush.finish() } catch { return flushFailed(error) }
        stored = position
        if position > checkpoints.checkpointed { checkpoints.end(at: position) }
    }

    /// Finishes the flush in the background, if it has ended.
    func flushMayHaveEnded() {
        guard !life.hasFailed else { return }
        do throws(StorageError) { try flush.poll() } catch { flushFailed(error) }
    }

    func flushFailed(_ error: StorageError) {
        checkpoints.flushFailed(error)
        perform(turn.flushFailed(error))
    }
}
