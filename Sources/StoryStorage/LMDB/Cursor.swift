import CLMDB
package import StoryCore

/// A position in one ordered map, moved key by key.
///
/// It must be let go before its transaction ends. What it stands on dies with the view, or with the next change.
package struct Cursor: ~Copyable {
    private let handle: OpaquePointer

    /// Begins to look at a database of a transaction, whose handle it is given.
    package init(_ transaction: OpaquePointer, _ database: Database) throws(StorageError) {
        var opened: OpaquePointer?
        try LMDBError.check(mdb_cursor_open(transaction, database.handle, &opened), "opening a cursor")
        guard let opened else { throw .failed("LMDB opened no cursor") }
        handle = opened
    }

    deinit { mdb_cursor_close(handle) }

    /// The entry with the least key; nil when there is none.
    package func first() throws(StorageError) -> LMDBEntry? { try move(MDB_FIRST) }
    /// The entry with the greatest key; nil when there is none.
    package func last() throws(StorageError) -> LMDBEntry? { try move(MDB_LAST) }
    /// The entry after this one; nil at the end.
    package func next() throws(StorageError) -> LMDBEntry? { try move(MDB_NEXT) }
    /// The entry before this one; nil at the beginning.
    package func previous() throws(StorageError) -> LMDBEntry? { try move(MDB_PREV) }
    /// The key after this one, without a look at its value; nil at the end.
    package func nextKey() throws(StorageError) -> UnsafeRawBufferPointer? {
        var key = MDB_val()
        let code = mdb_cursor_get(handle, &key, nil, MDB_NEXT)
        if code == MDB_NOTFOUND { return nil }
        try LMDBError.check(code, "moving through a table")
        return key.bytes
    }

    /// The first entry at or after a key.
    package func seek(_ key: UnsafeRawBufferPointer) throws(StorageError) -> LMDBEntry? {
        key.isEmpty ? try first() : try move(MDB_SET_RANGE, MDB_val(key))
    }

    /// The last entry before a key.
    package func seek(before key: UnsafeRawBufferPointer) throws(StorageError) -> LMDBEntry? {
        try seek(key) == nil ? try last() : try previous()
    }

    /// The last entry at or before a key, else the first one; nil when there is none at all.
    package func seek(atOrBefore key: UnsafeRawBufferPointer) throws(StorageError) -> LMDBEntry? {
        guard let entry = try seek(key) else { return try last() }
        if entry.key.equals(key) { return entry }
        if let before = try previous() { return before }
        return try first()
    }

    /// The entry at exactly this key.
    package func find(_ key: UnsafeRawBufferPointer) throws(StorageError) -> LMDBEntry? {
        try move(MDB_SET_KEY, MDB_val(key))
    }

    /// Puts bytes at a key; cheap where the key is near the one before.
    package func put(_ value: UnsafeRawBufferPointer, at key: UnsafeRawBufferPointer) throws(StorageError) {
        var name = MDB_val(key)
        var bytes = MDB_val(value)
        try LMDBError.check(mdb_cursor_put(handle, &name, &bytes, 0), "writing \(value.count) bytes")
    }

    /// Removes a key, which need not be there.
    package func remove(_ key: UnsafeRawBufferPointer) throws(StorageError) {
        guard try find(key) != nil else { return }
        try LMDBError.check(mdb_cursor_del(handle, 0), "removing a key")
    }

    /// Where in memory the key lies that the cursor stands on; nil when it stands on none.
    package var keyPointer: UnsafeRawPointer? {
        var key = MDB_val()
        var value = MDB_val()
        return mdb_cursor_get(handle, &key, &value, MDB_GET_CURRENT) == MDB_SUCCESS ? key.bytes.baseAddress : nil
    }

    @inline(__always)
    private func move(_ step: MDB_cursor_op, _ wanted: MDB_val = MDB_val()) throws(StorageError) -> LMDBEntry? {
        var key = wanted
        var value = MDB_val()
        let code = mdb_cursor_get(handle, &key, &value, step)
        if code == MDB_SUCCESS { return LMDBEntry(key: key.bytes, value: value.bytes) }
        if code == MDB_NOTFOUND { return nil }
        throw LMDBError.from(code, "moving through a table")
    }
}

/// What a cursor stands on.
package struct LMDBEntry {
    /// Where the key lies.
    package let key: UnsafeRawBufferPointer
    /// Where the value lies.
    package let value: UnsafeRawBufferPointer

    /// An entry whose bytes lie where these do.
    package init(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        self.key = key
        self.value = value
    }
}
