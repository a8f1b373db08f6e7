package import StoryCore
package import StoryModels

/// The read models as the loop uses them: folded in memory, stored by checkpoints.
package protocol ServedModels: TableStore {
    /// The first failure of a reading: whoever asked was told, and the loop has to stop. Nil when there was none.
    var failure: StorageError? { get }
    /// The memory that what is not stored takes, in bytes.
    var bufferedBytes: Int { get }
    /// The bytes of the stored tables.
    var storedBytes: Int { get }
    /// Sets aside what was folded up to a position; returns the work that stores it, to be run on any
    /// thread, and again where it threw.
    func setAside(at position: Position) -> StoringWork
    /// The work came to its end.
    ///
    /// - Throws: The stored models cannot be read any more.
    func finish() throws(StorageError)
    /// The work is not to be run any more: what it was to store is kept.
    func fail()
    /// Forgets everything that is not stored; what is being stored is not read any more.
    func discard()
    /// Frees what readers hold whose process died.
    func clearStaleReaders()
}

/// Stores what was set aside, synced.
package typealias StoringWork = @Sendable () throws(StorageError) -> Void

extension LMDBModelStore: ServedModels {
    package func setAside(at position: Position) -> StoringWork {
        let checkpoint = freeze(at: position)
        return { () throws(StorageError) in try checkpoint.run() }
    }
}
