import CLMDB
package import StoryCore

/// A cursor in one database, which is moved key by key.
///
/// Only a transaction makes one, for a closure, which can neither keep nor copy it. An entry that it returns is valid until the snapshot ends, or until the next change.
package struct Cursor: ~Copyable {
    fileprivate let handle: CursorHandle

    init(_ transaction: TransactionHandle, _ database: Database) throws(StorageError) {
        var opened: CursorHandle?
        try LMDBError.check(transaction.openCursor(database, &opened), "opening a cursor")
        guard let opened else { throw .failed("LMDB opened no cursor") }
        handle = opened
    }

    deinit { handle.close() }

    /// Moves to the first entry; nil when there is none.
    package func first() throws(StorageError) -> KeyValue? { try move(MDB_FIRST) }
    /// Moves to the last entry; nil when there is none.
    package func last() throws(StorageError) -> KeyValue? { try move(MDB_LAST) }
    /// Moves to the next entry; nil at the end.
    package func next() throws(StorageError) -> KeyValue? { try move(MDB_NEXT) }
    /// Moves to the previous entry; nil at the beginning.
    package func previous() throws(StorageError) -> KeyValue? { try move(MDB_PREV) }
    /// Moves to the next key without a look at its value; nil at the end.
    package func nextKey() throws(StorageError) -> UnsafeRawBufferPointer? {
        var key = MDB_val()
        let code = handle.getKey(&key, MDB_NEXT)
        if code == MDB_NOTFOUND { return nil }
        try LMDBError.check(code, "moving through a table")
        return key.bytes
    }

    /// Moves to the first entry at or after a key; nil when there is none.
    package func seek(_ key: UnsafeRawBufferPointer) throws(StorageError) -> KeyValue? {
        key.isEmpty ? try first() : try move(MDB_SET_RANGE, MDB_val(key))
    }

    /// Moves to the last entry at or before a key, else to the first one; nil when there is none at all.
    package func seek(atOrBefore key: UnsafeRawBufferPointer) throws(StorageError) -> KeyValue? {
        guard let entry = try seek(key) else { return try last() }
        if entry.key.equals(key) { return entry }
        if let before = try previous() { return before }
        return try first()
    }

    /// Moves to the entry at exactly this key; nil when there is none.
    package func find(_ key: UnsafeRawBufferPointer) throws(StorageError) -> KeyValue? {
        try move(MDB_SET_KEY, MDB_val(key))
    }

    /// The address of the current key; nil when the cursor is on no entry.
    var keyPointer: UnsafeRawPointer? {
        var key = MDB_val()
        var value = MDB_val()
        return handle.get(&key, &value, MDB_GET_CURRENT) == MDB_SUCCESS ? key.bytes.baseAddress : nil
    }

    @inline(__always)
    private func move(_ step: MDB_cursor_op, _ wanted: MDB_val = MDB_val()) throws(StorageError) -> KeyValue? {
        var key = wanted
        var value = MDB_val()
        let code = handle.get(&key, &value, step)
        if code == MDB_SUCCESS { return KeyValue(key: key.bytes, value: value.bytes) }
        if code == MDB_NOTFOUND { return nil }
        throw LMDBError.from(code, "moving through a table")
    }
}

/// A cursor of a write transaction, which also writes.
package struct WriteCursor: ~Copyable {
    private let cursor: Cursor

    init(_ transaction: TransactionHandle, _ database: Database) throws(StorageError) {
        cursor = try Cursor(transaction, database)
    }

    /// Moves to the next entry; nil at the end.
    package func next() throws(StorageError) -> KeyValue? { try cursor.next() }

    /// Moves to the last entry at or before a key, else to the first one; nil when there is none at all.
    package func seek(atOrBefore key: UnsafeRawBufferPointer) throws(StorageError) -> KeyValue? {
        try cursor.seek(atOrBefore: key)
    }

    /// Writes a value at a key; cheap when the key is near the previous one.
    package func put(_ value: UnsafeRawBufferPointer, at key: UnsafeRawBufferPointer) throws(StorageError) {
        var name = MDB_val(key)
        var bytes = MDB_val(value)
        try LMDBError.check(cursor.handle.put(&name, &bytes), "writing \(value.count) bytes")
    }

    /// Removes a key, if it exists.
    package func remove(_ key: UnsafeRawBufferPointer) throws(StorageError) {
        guard try cursor.find(key) != nil else { return }
        try LMDBError.check(cursor.handle.delete(), "removing a key")
    }

    /// The address of the current key; nil when the cursor is on no entry.
    package var keyPointer: UnsafeRawPointer? { cursor.keyPointer }
}

/// The entry that a cursor is on.
package struct KeyValue {
    /// The bytes of the key.
    package let key: UnsafeRawBufferPointer
    /// The bytes of the value.
    package let value: UnsafeRawBufferPointer

    /// Creates an entry from these bytes, which are not copied.
    package init(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        self.key = key
        self.value = value
    }
}
