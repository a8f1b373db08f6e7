import CLMDB
package import StoryCore

/// A snapshot of an environment, which does not change while others write.
///
/// The pages of an old snapshot cannot be reused, so it must not be held for long: `reset` between reads.
package struct ReadTransaction: ~Copyable {
    private let handle: TransactionHandle
    /// Retained, since it must not be closed before the transaction ends.
    private let environment: Unmanaged<Environment>

    /// Takes the newest snapshot; throws when the system or the reader table has no room for it.
    package init(_ environment: Environment) throws(StorageError) {
        var begun: TransactionHandle?
        var code = environment.raw.begin(MDB_RDONLY, &begun)
        if code == MDB_READERS_FULL {
            environment.clearStaleReaders()
            code = environment.raw.begin(MDB_RDONLY, &begun)
        }
        try LMDBError.check(code, "beginning to read \(environment.path)")
        guard let begun else { throw .failed("LMDB began no transaction on \(environment.path)") }
        handle = begun
        self.environment = .passRetained(environment)
    }

    deinit {
        handle.abort()
        environment.release()
    }

    /// Releases the snapshot but keeps the slot in the reader table.
    package mutating func reset() { handle.reset() }

    /// Takes the newest snapshot; only after `reset`.
    package mutating func renew() throws(StorageError) {
        try LMDBError.check(handle.renew(), "beginning to read")
    }

    /// Ends the transaction so that the databases that it opened stay open for later ones.
    package consuming func keepDatabases() throws(StorageError) {
        let code = handle.commit()
        environment.release()
        discard self
        try LMDBError.check(code, "opening tables")
    }

    /// Returns the size of a database's pages in bytes.
    ///
    /// - Throws: `.failed` when LMDB does not know the database.
    package borrowing func size(of database: Database) throws(StorageError) -> Int {
        var status = MDB_stat()
        try LMDBError.check(handle.status(database, &status), "asking for the size of a table")
        let pages = status.ms_branch_pages + status.ms_leaf_pages + status.ms_overflow_pages
        return pages * Int(status.ms_psize)
    }

    /// Opens a named database for this snapshot; nil when there is none of that name.
    package borrowing func database(_ name: String) throws(StorageError) -> Database? {
        var number: MDB_dbi = 0
        let code = handle.openDatabase(name, 0, &number)
        if code == MDB_NOTFOUND { return nil }
        try LMDBError.check(code, "opening the table \(name)")
        return Database(handle: number)
    }

    /// Returns the value at a key, which is valid until the snapshot ends; nil when there is none.
    @inline(__always)
    package borrowing func value(
        in database: Database, at key: UnsafeRawBufferPointer
    ) throws(StorageError) -> UnsafeRawBufferPointer? {
        var wanted = MDB_val(key)
        var found = MDB_val()
        let code = handle.get(database, &wanted, &found)
        if code == MDB_SUCCESS { return found.bytes }
        if code == MDB_NOTFOUND { return nil }
        throw LMDBError.from(code, "looking up a key")
    }

    /// Calls `body` with a cursor in a database, which is closed when `body` returns.
    package borrowing func withCursor<Result>(
        in database: Database, _ body: (borrowing Cursor) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try body(Cursor(handle, database))
    }
}
