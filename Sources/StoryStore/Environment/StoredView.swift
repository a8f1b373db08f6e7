import StoryFold
package import StoryCore
import StoryStorage

/// The stored tables of models in LMDB, as of their last checkpoint, for another thread.
///
/// The models must stay open until it is closed, and no page that the models free meanwhile is used again.
///
/// Unchecked: the loop makes it, and hands it to one thread.
package final class StoredView: TableView, @unchecked Sendable {
    package let position: Position
    private let models: ModelEnvironment
    private var transaction: ReadTransaction?

    /// Views models; no checkpoint may be in progress.
    ///
    /// - Throws: `.failed` if LMDB has no free reader slot.
    package init(_ store: LMDBModelStore) throws(StorageError) {
        position = store.checkpointed
        models = store.opened
        transaction = try ReadTransaction(models.environment)
    }

    /// Verifies all pages.
    ///
    /// - Throws: `.corrupt` where a page is damaged.
    package func verify() throws(StorageError) { try models.verify() }

    package func scan(
        _ table: ModelTable,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) {
        try transaction.tree(of: table, in: models.environment).scan(isSet: table.isSet, visit)
    }

    package func has(_ key: UnsafeRawBufferPointer, in table: ModelTable) throws(StorageError) -> Bool {
        try transaction.tree(of: table, in: models.environment).value(at: key, isSet: table.isSet) != nil
    }

    package func close() { transaction = nil }
}
