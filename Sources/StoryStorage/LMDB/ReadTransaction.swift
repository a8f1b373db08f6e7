import CLMDB
package import StoryCore

/// One view of an environment that does not change while others write.
///
/// The pages of an old view cannot be used again, so it must not be held for long: `reset` between readings.
package struct ReadTransaction: ~Copyable {
    /// What LMDB knows it by, for cursors; it dies with the transaction.
    package let handle: OpaquePointer
    /// Held, since it must not be closed before.
    private let environment: Unmanaged<Environment>

    /// Takes the newest view; throws when the system or the table of readers has no room for it.
    package init(_ environment: Environment) throws(StorageError) {
        var begun: OpaquePointer?
        var code = mdb_txn_begin(environment.raw, nil, UInt32(MDB_RDONLY), &begun)
        if code == MDB_READERS_FULL {
            environment.clearStaleReaders()
            code = mdb_txn_begin(environment.raw, nil, UInt32(MDB_RDONLY), &begun)
        }
        try LMDBError.check(code, "beginning to read \(environment.path)")
        guard let begun else { throw .failed("LMDB began no transaction on \(environment.path)") }
        handle = begun
        self.environment = .passRetained(environment)
    }

    deinit {
        mdb_txn_abort(handle)
        environment.release()
    }

    /// Lets go of the view but keeps the place in the table of readers.
    package borrowing func reset() { mdb_txn_reset(handle) }

    /// Takes the newest view; only after `reset`.
    package borrowing func renew() throws(StorageError) {
        try LMDBError.check(mdb_txn_renew(handle), "beginning to read")
    }

    /// Ends it so that the databases it opened stay open for later ones.
    package consuming func keepDatabases() throws(StorageError) {
        let code = mdb_txn_commit(handle)
        environment.release()
        discard self
        try LMDBError.check(code, "opening tables")
    }

    /// The bytes at a key, which die with the view; nil when there are none.
    package borrowing func value(
        in database: Database, at key: UnsafeRawBufferPointer
    ) throws(StorageError) -> UnsafeRawBufferPointer? {
        try Lookup.value(handle, database, key)
    }

    /// The bytes of the pages that a database takes.
    ///
    /// - Throws: `.failed` when LMDB does not know it.
    package borrowing func size(of database: Database) throws(StorageError) -> Int {
        var status = MDB_stat()
        try LMDBError.check(mdb_stat(handle, database.handle, &status), "asking for the size of a table")
        let pages = status.ms_branch_pages + status.ms_leaf_pages + status.ms_overflow_pages
        return pages * Int(status.ms_psize)
    }

    /// Opens a named database for this view; nil when there is none of that name.
    package borrowing func database(_ name: String) throws(StorageError) -> Database? {
        var number: MDB_dbi = 0
        let code = mdb_dbi_open(handle, name, 0, &number)
        if code == MDB_NOTFOUND { return nil }
        try LMDBError.check(code, "opening the table \(name)")
        return Database(handle: number)
    }
}

/// Looking up in a transaction of either type.
package enum Lookup {
    /// The bytes at a key, which die with the view or the next change; nil when there are none.
    @inline(__always)
    package static func value(
        _ transaction: OpaquePointer, _ database: Database, _ key: UnsafeRawBufferPointer
    ) throws(StorageError) -> UnsafeRawBufferPointer? {
        var wanted = MDB_val(key)
        var found = MDB_val()
        let code = mdb_get(transaction, database.handle, &wanted, &found)
        if code == MDB_SUCCESS { return found.bytes }
        if code == MDB_NOTFOUND { return nil }
        throw LMDBError.from(code, "looking up a key")
    }
}
