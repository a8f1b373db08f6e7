package import StoryCore
package import StoryFold
package import StoryStore

/// The read models as the loop uses them: folded in memory, stored by checkpoints.
package protocol ServedModels: TableStore {
    /// The first failure of a read other than damage, which was reported to its caller and must stop the loop; nil when
    /// there was none.
    var failure: StorageError? { get }
    /// The damage that was found in the stored tables, which are being rebuilt: what needs it fails; nil where there is
    /// none.
    var damage: StorageError? { get }
    /// The memory for events that are not stored, in bytes.
    var bufferedBytes: Int { get }
    /// The size of the stored tables, in bytes.
    var storedBytes: Int { get }
    /// Freezes the memtables, which are folded through a position. Returns the work that stores them; it may run on any
    /// thread, and again where it threw.
    func beginStoring(at position: Position) -> StoringWork
    /// Finishes a checkpoint whose work has succeeded.
    ///
    /// - Throws: the error of reading the stored models, which cannot be read any more.
    func finish() throws(StorageError)
    /// Gives up a checkpoint whose work has failed; its memtables are kept.
    func fail()
    /// True where nothing more can be stored until the stored tables are opened again.
    var isStopped: Bool { get }
    /// Opens the stored tables again where nothing more can be stored; events that are not stored stay.
    ///
    /// - Returns: false where it must be tried later, since another thread reads them.
    /// - Throws: the error of opening them, which cannot be read any more.
    func recover() throws(StorageError) -> Bool
    /// Discards all events that are not stored; memtables that are being stored are not read any more.
    func discard()
    /// Frees the memory that is kept for later events, where none wait to be stored.
    func releaseMemory()
    /// Bounds the pages that one commit of the stored tables changes, whose memory is kept until they are opened again.
    func limitCommits(toPages count: Int)
    /// Prepares to take staged memtables at once, some entries at a time; nothing may be written meanwhile.
    ///
    /// - Returns: true where `take` is short now.
    func prepare(_ staged: StagedTables, copying count: Int) -> Bool
    /// Joins staged memtables, whose entries are the newest from now on.
    ///
    /// - Throws: any error of the store.
    func join(_ staged: StagedTables) throws(StorageError)
    /// Opens the stored tables again, which frees the memory that storing took; nothing may wait to be stored, and
    /// nobody else may use the store.
    ///
    /// - Throws: the error of opening them, which cannot be read any more.
    func reopen() throws(StorageError)
    /// Frees the slots of readers whose process ended.
    func clearStaleReaders()
    /// Notes that a turn of the loop has ended: what the writes of the next one rest on is compared again.
    func turnEnded()
    /// The comparison of the stored pages with their checksums; nil for models in memory.
    var scrub: PageScrub? { get }
    /// Returns a view of the stored tables; no checkpoint may be in progress.
    ///
    /// - Throws: `.failed` when there can be no more readers.
    func view() throws(StorageError) -> any TableView
}

extension ServedModels {
    /// Prepares nothing by default.
    package func prepare(_ staged: StagedTables, copying count: Int) -> Bool { true }

    /// Writes each entry by default.
    package func join(_ staged: StagedTables) throws(StorageError) { try staged.write(to: self) }

    /// Does nothing by default.
    package func releaseMemory() {}

    /// Does nothing by default.
    package func limitCommits(toPages count: Int) {}

    /// Does nothing by default.
    package func turnEnded() {}

    /// Does nothing by default.
    package func reopen() {}

    /// False by default.
    package var isStopped: Bool { false }

    /// True by default: stored tables never have to be opened again.
    package func recover() -> Bool { true }

    /// Nil by default: nothing is stored in pages.
    package var scrub: PageScrub? { nil }

    /// Stores the memtables, which are folded through a position, on this thread; they are kept where that fails.
    ///
    /// - Throws: the error of storing them; that of `finish`.
    func store(at position: Position) throws(StorageError) {
        let work = beginStoring(at: position)
        do throws(StorageError) {
            try work()
        } catch {
            fail()
            throw error
        }
        try finish()
    }
}

/// The work of storing frozen memtables, including the sync.
package typealias StoringWork = @Sendable () throws(StorageError) -> Void

extension LMDBModelStore: ServedModels {
    /// Freezes the memtables; the checkpoint is the work.
    package func beginStoring(at position: Position) -> StoringWork {
        let (checkpoint, pages) = (freeze(at: position), pagesOfCommit)
        return { () throws(StorageError) in try checkpoint.run(pages: pages) }
    }

    package func limitCommits(toPages count: Int) { pagesOfCommit = count }

    package func view() throws(StorageError) -> any TableView { try StoredView(self) }
}
