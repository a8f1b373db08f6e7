import StoryAnswers
package import StoryCore
package import StoryLog
import StoryModels
import StoryWire

/// Brings the models up to the log: the normal start, whether the last stop was clean or not.
package enum Recovery {
    /// So many events are folded before the next look at how much memory that took.
    private static let step: UInt64 = 1_000
    /// The most that is folded where the disk has no room to store it, in bytes of memory.
    private static let maxBytes = 256 << 20

    /// Folds what lies between the models' checkpoint and the log's end; `progress` is told how far it is.
    ///
    /// - Parameter isStoring: whether a long fold is checkpointed in between, so that memory stays bounded.
    /// - Throws: `.corrupt` where the models know more than the log; what reading or storing threw.
    package static func fold(
        _ log: any EventLog, into models: any ServedModels, isStoring: Bool = true,
        progress: (_ position: Position, _ head: Position) -> Void
    ) throws(StorageError) {
        let head = log.head
        guard models.checkpointed <= head else {
            throw StorageError.corrupt(
                "the models know position \(models.checkpointed.value), but the log ends at \(head.value): the log has "
                    + "lost events. Put the whole log back, or move the folder models away to go on with what is there",
                at: head)
        }
        let projector = ModelProjector(CataloguePlan(.standard), store: models, json: JSONObjectReader())
        var folded = models.checkpointed
        var refusal: StorageError?
        while folded < head {
            let through = Position(min(head.value, folded.value + step))
            try projector.fold(log, from: folded.next, through: through)
            progress(through, head)
            folded = through
            if let refusal, models.bufferedBytes > maxBytes { throw refusal }
            guard isStoring, refusal == nil, folded < head, folded <= log.flushed else { continue }
            if Checkpoints.isDue(models, at: folded) { refusal = try checkpoint(models, at: folded) }
        }
    }

    /// Stores what was folded; returns why the disk has no room for it. It stays in memory then.
    private static func checkpoint(
        _ models: any ServedModels, at position: Position
    ) throws(StorageError) -> StorageError? {
        let store = models.setAside(at: position)
        do throws(StorageError) {
            try store()
        } catch {
            models.fail()
            guard case .full = error else { throw error }
            return error
        }
        try models.finish()
        return nil
    }
}
