import StoryStorage
package import StoryCore

/// The overwriting of records in the blocks of a log that is served.
///
/// No flush may be under way, or begin meanwhile: it would move the blocks that are on the pages that it changes.
extension LMDBEventLog {
    /// Computes the erasures of the masked events that have parts left.
    ///
    /// - Throws: `.corrupt` if one of the records is damaged.
    package func maskedErasures() throws(StorageError) -> [RecordErasure] {
        let mask = records.mask
        return try records.blocks.reading { () throws(StorageError) in
            var erasures: [RecordErasure] = []
            for position in mask.positions where position <= head {
                let record = try storedRecord(at: position)
                if let erasure = try mask.erasure(of: record, at: position) { erasures.append(erasure) }
            }
            return erasures
        }
    }

    /// Overwrites records in their place, which may be done in part already, and syncs them.
    ///
    /// - Throws: `.corrupt` if a record is not where it should be; otherwise the error of the system, after which the state
    ///   of the file is unknown.
    package func overwrite(_ erasures: [RecordErasure]) throws(StorageError) {
        precondition(commits?.flusher.isFlushing != true, "records are overwritten during a flush")
        try records.blocks.reading { () throws(StorageError) in
            for erasure in erasures {
                guard erasure.position <= flushed else {
                    throw .failed("the event at position \(erasure.position.value) is in no block yet")
                }
                let record = try storedRecord(at: erasure.position)
                try environment.overwrite(record, by: try erasure.erased(record))
            }
        }
        try environment.syncRead()
    }
}
