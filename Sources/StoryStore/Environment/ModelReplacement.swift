package import StoryCore
package import StoryStorage

/// The replacement of stored models by others, which were built beside them, under the same name.
///
/// `….new` is the folder of models that are being built, `….old` that of those that were replaced. A crash leaves the
/// old or the new models: if none have the name, the old ones get it back.
struct ModelReplacement {
    /// The path of the models that are served.
    let models: String

    /// The path of models that are built beside them.
    var new: String { models + ".new" }
    private var old: String { models + ".old" }

    /// Ends what a crash interrupted, before the models are opened: removes the folders of other models.
    ///
    /// - Throws: when the system refuses.
    func clean() throws(StorageError) {
        if !Folder.exists(models), Folder.exists(old) { try Folder.rename(old, to: models) }
        try removeOthers()
    }

    /// Gives the new models the name of the old ones, which stay valid under another; on any thread.
    ///
    /// No process may write either meanwhile.
    ///
    /// - Throws: when the system refuses; then `undo` gives the names back.
    func install() throws(StorageError) {
        try Folder.rename(models, to: old)
        try Folder.rename(new, to: models)
    }

    /// Gives the old models their name back after an `install` that failed, or whose models cannot be opened.
    ///
    /// - Throws: when the system refuses; then the next start gives them their name, or finds the new ones.
    func undo() throws(StorageError) {
        guard Folder.exists(old) else { return }
        if Folder.exists(models) { try Folder.rename(models, to: new) }
        try Folder.rename(old, to: models)
    }

    /// Removes the models that were replaced, and those that are not complete; those that have the name stay. Files that
    /// are none of the store's stay in a folder beside.
    ///
    /// - Throws: when the system refuses.
    func removeOthers() throws(StorageError) {
        for path in [old, new, new + ".tmp"] { try Folder.retireEnvironment(path) }
    }
}

extension LMDBModelStore {
    /// Notes that other models are about to get the name of these; no checkpoint begins until the end of that.
    package func replacementBegins() { isBeingReplaced = true }

    /// Notes that these models have their name again, since no others could be installed.
    package func replacementFailed() { isBeingReplaced = false }

    /// Replaces the stored models by others that are folded through the same position. The memtables stay as they are.
    ///
    /// To be called between two turns only, without a checkpoint in progress.
    ///
    /// - Returns: the models that were replaced; their files are closed with the last reference to them.
    /// - Throws: the error of reading the new models; then nothing can be read any more.
    package func replace(by new: ModelEnvironment) throws(StorageError) -> ModelEnvironment {
        precondition(
            !isCheckpointing && new.position == checkpointed,
            "models of position \(new.position.value) replace those of \(checkpointed.value)")
        let old = opened
        trees.clear()
        snapshot = nil
        try show(new)
        isBeingReplaced = false
        return old
    }

    /// Opens the stored models again: LMDB keeps the memory of the pages that it wrote until they are closed.
    ///
    /// No other thread may read them.
    ///
    /// - Throws: the error of opening them; then nothing can be read any more.
    package func reopen() throws(StorageError) {
        precondition(!isCheckpointing && bufferedEntries == 0, "\(bufferedEntries) entries wait in models to reopen")
        close()
        try show(try ModelOpening.again(identity))
    }

    private func show(_ new: ModelEnvironment) throws(StorageError) {
        prefetched.forget()
        opened = new
        snapshot = try ReadTransaction(new.environment)
        try snapshot?.show(trees, new.environment, new.checksums.pages)
    }

    /// Removes the stored models of a data directory, which must not be open.
    package static func remove(in directory: DataDirectory) throws(StorageError) {
        try Folder.removeEnvironment(directory.modelsPath)
    }
}
