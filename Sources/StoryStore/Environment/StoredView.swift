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
    private let environment: Environment
    private let proof: ModelProof
    private var transaction: ReadTransaction?

    /// Views models; no checkpoint may be in progress.
    ///
    /// - Throws: `.failed` if LMDB has no free reader slot.
    package init(_ store: LMDBModelStore) throws(StorageError) {
        position = store.checkpointed
        proof = store.proof()
        environment = store.environment
        transaction = try ReadTransaction(environment)
    }

    /// Verifies all pages.
    ///
    /// - Throws: `.corrupt` where a page is damaged.
    package func verify() throws(StorageError) { try proof.run() }

    package func scan(
        _ table: ModelTable,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) {
        var walk = try StoredWalk(tree(of: table), isSet: table.isSet, .all, .ascending)
        while let entry = walk.entry, visit(entry.key, entry.value) { try walk.advance() }
    }

    package func has(_ key: UnsafeRawBufferPointer, in table: ModelTable) throws(StorageError) -> Bool {
        try tree(of: table).value(at: key, isSet: table.isSet) != nil
    }

    package func close() { transaction = nil }

    private func tree(of table: ModelTable) throws(StorageError) -> StoredTree {
        let found = try transaction?.tree(of: table.name, in: environment)
        guard let tree = found ?? nil else { throw .corrupt("\(environment.path) lacks \(table.name)", at: nil) }
        return tree
    }
}
