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
