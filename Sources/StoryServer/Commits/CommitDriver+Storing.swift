import StoryCore
import StoryEngine

/// Checkpoints of the models, of the store's own kinds and of the declared ones.
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
        guard stopReason == nil, !isWaitingForFlush, isLast || !refusals.isDiskFull else { return }
        do throws(StorageError) { try committer.storeBeside(through: acknowledged) } catch {
            perform(turn.spaceRefused(error))
        }
    }

    /// Begins a checkpoint before it is due, where there are events to store.
    func storeIfQuiet() {
        guard let position = turn.checkpointPosition else { return }
        for checkpoints in declared.checkpoints where position > checkpoints.checkpointed {
            checkpoints.freeze(at: position)
            checkpoints.advance()
        }
        if position > checkpoints.checkpointed { freeze(at: position) }
    }

    /// Begins the checkpoints that are due, and advances those of the declared models that answer. It is called with a
    /// commit that begins as well: with back-to-back commits, never is everything durable.
    func freezeIfDue(at position: Position) {
        if checkpoints.isDue(at: position) { freeze(at: position) }
        let largest = declared.largest
        for checkpoints in declared.checkpoints {
            checkpoints.advance()
            guard checkpoints.isDue(at: position) || checkpoints === largest else { continue }
            checkpoints.freeze(at: position)
            checkpoints.advance()
        }
    }

    /// Stores the models for the last time and waits for it, after the loop has ended.
    func storeAtEnd() {
        checkpoints.wait()
        var stored: Position?
        defer { declared.end(at: stored) }
        guard let position = turn.checkpointPosition else { return }
        do throws(StorageError) { try flush.finish() } catch { return flushFailed(error) }
        stored = position
        if position > checkpoints.checkpointed { checkpoints.end(at: position) }
    }

    /// Freezes the models for a checkpoint. The log is flushed before they are stored: stored models that were ahead of
    /// a log whose journal was lost would have to be discarded.
    func freeze(at position: Position) {
        precondition(engine.head == position, "freeze at \(position.value), but folded through \(engine.head.value)")
        checkpoints.freeze(at: position)
        checkpoints.advance()
    }
}
