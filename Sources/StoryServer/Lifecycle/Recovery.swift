package import StoryCore
package import StoryLog
package import StoryFold
import StoryWire

/// The recovery of the read models at start-up, after a clean stop or a crash.
package enum Recovery {
    /// The number of events to fold between two checks of the memory used.
    private static let step: UInt64 = 1_000
    /// The most memory, in bytes, that folded events may use while the disk has no room for a checkpoint.
    private static let maxBytes = 256 << 20

    /// Folds the events between the models' checkpoint and the log's head, and reports the progress.
    ///
    /// - Parameters:
    ///   - plan: the plan of the catalogue that the models are of.
    ///   - isStoring: whether a long fold writes checkpoints on the way, which keeps its memory bounded.
    /// - Throws: `.corrupt` where the models are ahead of the log; errors of reading and storing.
    package static func fold(
        _ log: any EventLog, into models: any ServedModels, by plan: CataloguePlan, isStoring: Bool = true,
        progress: (_ position: Position, _ head: Position) -> Void
    ) throws(StorageError) {
        let head = log.head
        guard models.checkpointed <= head else {
            throw StorageError.corrupt(
                "the models know position \(models.checkpointed.value), but the log ends at \(head.value): the log has "
                    + "lost events. Put the whole log back, or move the folder models away to go on with what is there",
                at: head)
        }
        let projector = ModelProjector(plan, store: models, json: JSONObjectReader())
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

    /// Stores the folded events; returns the error where the disk is full, and keeps them in memory.
    private static func checkpoint(
        _ models: any ServedModels, at position: Position
    ) throws(StorageError) -> StorageError? {
        let store = models.beginStoring(at: position)
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
