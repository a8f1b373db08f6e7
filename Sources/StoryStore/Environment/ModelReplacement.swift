package import StoryCore
import StoryStorage

/// The replacement of stored models by others, which were built beside them, under the same name.
///
/// `….new` is the folder of models that are being built, `….old` that of those that were replaced. A crash leaves the
/// old or the new models: if none have the name, the old ones get it back.
extension ModelIdentity {
    private var new: String { path + ".new" }
    private var old: String { path + ".old" }

    /// The identity of models that are built beside these.
    var beside: ModelIdentity { ModelIdentity(path: new, record: record, tables: tables, mapSize: mapSize) }

    /// Ends what a crash interrupted, before the models are opened: removes the folders of other models.
    ///
    /// - Throws: when the system refuses.
    func clean() throws(StorageError) {
        if !Folder.exists(path), Folder.exists(old) { try Folder.rename(old, to: path) }
        try removeOthers(filledWithZeros: true)
    }

    /// Gives the models that were built beside these the name of these, and opens them; on any thread. These stay valid
    /// for those who have them open. No process may write either meanwhile.
    ///
    /// - Throws: `.corrupt` when the new models are not as they were written; otherwise when the system refuses. Then
    ///   these have their name, or the next start gives it to them, or finds the new ones.
    package func install() throws(StorageError) -> ModelEnvironment {
        do throws(StorageError) {
            try Folder.rename(path, to: old)
            try Folder.rename(new, to: path)
            return try reopened()
        } catch {
            try takeNameBack()
            throw error
        }
    }

    /// Opens the models of this name, after a look at the pages that LMDB reads first.
    ///
    /// - Throws: `.corrupt` when they are not as they were written; otherwise when the system refuses.
    func reopened() throws(StorageError) -> ModelEnvironment {
        try ModelOpening.open(self, verified: try PageChecksums(models: path).begin())
    }

    private func takeNameBack() throws(StorageError) {
        guard Folder.exists(old) else { return }
        if Folder.exists(path) { try Folder.rename(path, to: new) }
        try Folder.rename(old, to: path)
    }

    /// Removes the models that were replaced, or whose build has ended before it was complete; on any thread. Those that
    /// have the name stay, and files that are none of the store's stay in a folder beside.
    ///
    /// - Parameter filledWithZeros: true where they may have rows of events that were erased; a process that reads them
    ///   meanwhile finds damage.
    /// - Throws: when the system refuses.
    package func removeOthers(filledWithZeros: Bool = false) throws(StorageError) {
        for path in [old, new, new + ".tmp"] {
            if filledWithZeros { try Folder.eraseEnvironment(path) } else { try Folder.retireEnvironment(path) }
        }
    }
}

extension LMDBModelStore {
    /// Replaces the stored models by others that are folded through the same position. The memtables stay as they are.
    ///
    /// To be called between two turns only, without a checkpoint in progress.
    ///
    /// - Returns: the models that were replaced; their files are closed with the last reference to them.
    /// - Throws: the error of reading the new models; then nothing can be read any more.
    package func replace(by new: ModelEnvironment) throws(StorageError) -> ModelEnvironment {
        precondition(!isCheckpointing && new.position == checkpointed, "models of another position replace these")
        let old = opened
        trees.clear()
        snapshot = nil
        try show(new)
        isBeingReplaced = false
        return old
    }

    /// Opens the stored models again; the memtables stay as they are. LMDB keeps the memory of the pages that it wrote until
    /// then. No other thread may read them.
    ///
    /// - Throws: the error of opening them; then nothing can be read any more.
    package func reopen() throws(StorageError) {
        close()
        do throws(StorageError) {
            try show(try identity.reopened())
        } catch {
            failure = failure ?? error
            throw error
        }
        // A checkpoint that failed may be in them.
        checkpointed = opened.position
    }

    /// Opens the stored models again where LMDB writes them no more, since one of its first pages could not be written.
    ///
    /// - Returns: false while another thread reads them, or others are about to replace them.
    /// - Throws: as `reopen`.
    package func recover() throws(StorageError) -> Bool {
        guard isStopped else { return true }
        guard !isCheckpointing, !isBeingReplaced, opened.isOnlyCopy else { return false }
        try reopen()
        return true
    }

    private func show(_ new: ModelEnvironment) throws(StorageError) {
        prefetched.forget()
        opened = new
        snapshot = try ReadTransaction(new.environment)
        try snapshot?.show(trees, new)
    }
}
