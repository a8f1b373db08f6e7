import StoryCore
import StoryLog
import StoryFold

/// The fold of a definition on a thread, and the storing of its rows.
extension ServedDefinition {
    /// The size of the memtables at which a thread stores them, in bytes.
    private static let bytesOfBuild = 64 << 20
    /// The number of events between two looks of a thread at that size: what 16 events may add is less than half of it.
    private static let eventsOfLook: UInt64 = 16
    /// The number of events between two looks of a thread at its progress.
    private static let step: UInt64 = 1_024

    /// Folds a part of the log on a thread, and stores everything, with checkpoints on the way that bound the memory.
    ///
    /// A store without events gets rows alone, and then the indexes of all of them. An error of the store that is no lack
    /// of room is kept as `damage`.
    ///
    /// - Throws: the error of reading the log; `.full` where the disk is: then it may be tried again.
    func build(_ view: LogView, through last: Position, _ progress: BuildProgress) throws(StorageError) {
        try foldRows(view, through: last, progress)
        try makeIndexes(progress)
        try storeLast()
        progress.reached(folded)
    }

    /// Folds a part of the log as `build` does; the indexes of a store that was empty stay deferred.
    ///
    /// - Parameter told: gets each event, and the reason why it did not fit.
    /// - Throws: as `build`.
    func foldRows(
        _ view: LogView, through last: Position, _ progress: BuildProgress,
        _ told: (EventRecord, Misfit?) -> Void = { _, _ in }
    ) throws(StorageError) {
        try storeFull()
        guard isSound, indexes != .partial else { return }
        if folded == .zero, store.checkpointed == .zero { try deferIndexes() }
        try view.scan(from: folded.next, through: last) { (position, record) throws(StorageError) in
            let event = try record.event(at: position)
            told(event, fold(event))
            if position.value.isMultiple(of: ServedDefinition.eventsOfLook) { try storeFull() }
            if position.value.isMultiple(of: ServedDefinition.step) { progress.reached(position) }
            return isSound && !progress.isCancelled
        }
    }

    private func deferIndexes() throws(StorageError) {
        try RowIndexing.setDeferred(true, in: store)
        fold.defersIndexes = true
        indexes = .deferred
    }

    /// Makes the indexes of the rows where they are deferred. Before they are stored with the position that the rows are
    /// folded up to, the store is one that is folded up to nothing.
    private func makeIndexes(_ progress: BuildProgress) throws(StorageError) {
        guard indexes != .complete, isSound, !progress.isCancelled else { return }
        if indexing == nil { indexing = RowIndexing(compiled.rows, in: store) }
        indexes = .partial
        do throws(StorageError) {
            let isComplete = try indexing?.run { (_) throws(StorageError) in
                try storeFull()
                return damage == nil && !progress.isCancelled
            }
            guard isComplete == true else { return }
            try RowIndexing.setDeferred(false, in: store)
            try storeNow(at: folded)
        } catch {
            if case .full = error { throw error }
            return damage = error
        }
        guard damage == nil else { return }
        indexing = nil
        fold.defersIndexes = false
        indexes = .complete
    }

    /// Takes the rows over from a definition that makes the same ones, on a thread, and stores everything; the store is
    /// empty. Before the last checkpoint it is stored as folded up to nothing, and of no use if it ends there.
    ///
    /// An error of the store that is no lack of room is kept as `damage`.
    ///
    /// - Parameter lines: the lines of misfits in the text of this definition.
    /// - Throws: the error of reading the other definition; `.full` where the disk is.
    func take(
        from view: any TableView, _ lines: LineMapping, _ progress: BuildProgress
    ) throws(StorageError) {
        defer { view.close() }
        try view.verify()
        var transfer = RowTransfer(compiled.rows, to: store, lines: lines)
        try transfer.run(from: view) { (rows) throws(StorageError) in
            try storeFull()
            progress.took(rows: rows)
            return damage == nil && !progress.isCancelled
        }
        guard damage == nil, !progress.isCancelled else { return }
        folded = view.position
        try storeLast()
        progress.reached(folded)
    }

    /// Stores what a thread has folded, and frees the memory that storing it took.
    private func storeLast() throws(StorageError) {
        guard damage == nil, indexes != .partial else { return }
        if store.bufferedBytes > 0 || folded != store.checkpointed { try storeNow(at: folded) }
        guard damage == nil else { return }
        store.releaseMemory()
        do throws(StorageError) { try store.reopen() } catch { damage = error }
    }

    private func storeFull() throws(StorageError) {
        guard damage == nil, store.bufferedBytes >= ServedDefinition.bytesOfBuild else { return }
        try storeNow(at: indexes == .partial ? .zero : folded)
    }

    private func storeNow(at position: Position) throws(StorageError) {
        do throws(StorageError) {
            try store.store(at: position)
        } catch {
            if case .full = error { throw error }
            damage = error
        }
    }
}
