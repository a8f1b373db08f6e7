package import StoryCore

extension EventLogReading {
    /// Folds a part of the log by `body`, which ends the fold by an error; `progress` receives a folded position now and
    /// then.
    ///
    /// - Throws: the error of reading the log, or that of `body`.
    package func fold(
        from first: Position, through last: Position, progress: (Position) -> Void = { _ in },
        _ body: (EventRecord) throws(StorageError) -> Void
    ) throws(StorageError) {
        guard first <= last else { return }
        var failure: StorageError?
        try scan(from: first, through: last, order: .ascending) { record in
            do throws(StorageError) { try body(record) } catch { failure = error }
            if record.position.value.isMultiple(of: 16_384) { progress(record.position) }
            return failure == nil
        }
        if let failure { throw failure }
    }
}
