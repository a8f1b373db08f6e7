package import StoryCore
package import StoryLog
package import StoryModels
package import StoryWire

/// Brings the models up to the log: the normal start, whether the last stop was clean or not.
package enum Recovery {
    /// Folds what lies between the models' checkpoint and the log's end; `progress` hears how far it is.
    ///
    /// - Parameter isWritingDown: whether a long fold is checkpointed in between, so that memory stays bounded.
    package static func fold(
        _ log: any EventLog, into store: LMDBModelStore, with decoder: EventDecoder, isWritingDown: Bool = true,
        progress: (_ position: Position, _ head: Position) -> Void
    ) throws(StorageError) {
        let head = log.head
        guard store.checkpointed <= head else {
            throw StorageError.corrupt(
                "the models know position \(store.checkpointed.value), but the log ends at \(head.value): the log has "
                    + "lost events. Put the whole log back, or move the folder models away to go on with what is there",
                at: head)
        }
        let projector = Projector(store)
        var from = store.checkpointed.next
        while from <= head {
            let through = Position(min(head.value, from.value + Checkpointer.events - 1))
            try fold(log, from, through, projector, decoder)
            progress(through, head)
            if isWritingDown, through < head, through <= log.flushed { try checkpoint(store, at: through) }
            from = through.next
        }
    }

    private static func fold(
        _ log: any EventLog, _ from: Position, _ through: Position, _ projector: Projector, _ decoder: EventDecoder
    ) throws(StorageError) {
        try log.scan(from: from, through: through, order: .ascending) { record in
            projector.fold(decoder.decode(record))
            return true
        }
    }

    private static func checkpoint(_ store: LMDBModelStore, at position: Position) throws(StorageError) {
        let checkpoint = store.freeze(at: position)
        do throws(StorageError) {
            try checkpoint.run()
        } catch {
            store.fail()
            throw error
        }
        try store.finish()
    }
}
