package import StoryCore
package import StoryLog
package import StoryModels

extension ModelProjector {
    /// Folds a part of a log.
    ///
    /// - Throws: the error of reading the log or the models.
    package func fold(
        _ log: any EventLog, from first: Position, through last: Position
    ) throws(StorageError) {
        var failure: StorageError?
        try log.scan(from: first, through: last, order: .ascending) { record in
            do throws(StorageError) { try fold(record) } catch { failure = error }
            return failure == nil
        }
        if let failure { throw failure }
    }
}
