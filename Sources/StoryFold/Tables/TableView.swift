package import StoryCore

/// The stored tables of models that this process serves, as of their last checkpoint, for another thread.
package protocol TableView: AnyObject, Sendable {
    /// The position that the tables are folded up to.
    var position: Position { get }
    /// Verifies everything that is stored, since the reads that follow do not.
    ///
    /// - Throws: `.corrupt` where something is damaged.
    func verify() throws(StorageError)
    /// Visits the entries of a table in key order until `visit` returns false; the bytes are valid until it returns.
    ///
    /// - Throws: `.corrupt` for a damaged table.
    func scan(
        _ table: ModelTable, _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError)
    /// Returns whether a table has a key.
    ///
    /// - Throws: as `scan`.
    func has(_ key: UnsafeRawBufferPointer, in table: ModelTable) throws(StorageError) -> Bool
    /// Releases the view.
    func close()
}

extension TableView {
    /// Visits the entries of a table as `scan` does, until `visit` returns false or throws.
    ///
    /// - Throws: `.corrupt` for a damaged table, or the error of `visit`.
    package func visit(
        _ table: ModelTable, _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var failure: StorageError?
        try scan(table) { key, value in
            do throws(StorageError) { return try visit(key, value) } catch { failure = error }
            return false
        }
        if let failure { throw failure }
    }
}
