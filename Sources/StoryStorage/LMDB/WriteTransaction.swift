import CLMDB
import Glibc
package import StoryCore

/// The changes of one commit: all of them become durable with `commit`, or none when it is let go.
///
/// It belongs to the thread that began it: LMDB's lock would otherwise never be released.
package struct WriteTransaction: ~Copyable {
    /// What LMDB knows it by, for cursors; it dies with the transaction.
    package let handle: OpaquePointer
    /// Held, since it must not be closed before.
    private let environment: Unmanaged<Environment>

    /// Waits for whoever is writing; throws when LMDB refuses.
    package init(_ environment: Environment) throws(StorageError) {
        var begun: OpaquePointer?
        try LMDBError.check(mdb_txn_begin(environment.raw, nil, 0, &begun), "beginning to write \(environment.path)")
        guard let begun else { throw .failed("LMDB began no transaction on \(environment.path)") }
        handle = begun
        self.environment = .passRetained(environment)
    }

    deinit {
        mdb_txn_abort(handle)
        environment.release()
    }

    /// Makes everything that was put durable.
    ///
    /// - Throws: `.full` where there was no room and nothing has changed; after `.failed` or `.corrupt` it is unknown
    ///   whether it is durable.
    package consuming func commit() throws(StorageError) { try commit(isReserved: false) }

    /// The same where the file has room for all of it: an I/O error is one then, and not a full disk.
    package consuming func commitReserved() throws(StorageError) { try commit(isReserved: true) }

    private consuming func commit(isReserved: Bool) throws(StorageError) {
        let code = mdb_txn_commit(handle)
        // LMDB has freed the transaction, whatever it answered.
        let environment = environment.takeRetainedValue()
        discard self
        guard code != MDB_SUCCESS else { return }
        try environment.checkGoesOn(after: code)
        // A write that came to the disk's end halfway is an I/O error to LMDB; it has not touched the first pages.
        if !isReserved, code == EIO, DiskSpace.isExhausted(environment.fileDescriptor) {
            throw .full("no room is left while committing")
        }
        throw LMDBError.from(code, "committing")
    }

    /// The bytes at a key, which die with the next change; nil when there are none.
    package borrowing func value(
        in database: Database, at key: UnsafeRawBufferPointer
    ) throws(StorageError) -> UnsafeRawBufferPointer? {
        try Lookup.value(handle, database, key)
    }

    /// Puts bytes at a key, whatever was there.
    package borrowing func put(
        _ value: UnsafeRawBufferPointer, in database: Database, at key: UnsafeRawBufferPointer
    ) throws(StorageError) {
        try put(value, in: database, at: key, flags: 0)
    }

    /// Puts bytes at a key that must come after every other one.
    package borrowing func append(
        _ value: UnsafeRawBufferPointer, in database: Database, at key: UnsafeRawBufferPointer
    ) throws(StorageError) {
        try put(value, in: database, at: key, flags: UInt32(MDB_APPEND))
    }

    /// Makes room for a value at a key that must come after every other one. Every byte of it has to be written before
    /// anything else is done: LMDB hands out memory with old bytes in it.
    package borrowing func append(
        reserving count: Int, in database: Database, at key: UnsafeRawBufferPointer
    ) throws(StorageError) -> UnsafeMutableRawPointer {
        var wanted = MDB_val(key)
        var bytes = MDB_val(mv_size: count, mv_data: nil)
        let code = mdb_put(handle, database.handle, &wanted, &bytes, UInt32(MDB_APPEND | MDB_RESERVE))
        try LMDBError.check(code, "writing \(count) bytes")
        guard let memory = bytes.mv_data else { throw .failed("LMDB reserved no memory") }
        return memory
    }

    /// Opens a named database, which is made when there is none; it stays open after the commit.
    package borrowing func database(_ name: String) throws(StorageError) -> Database {
        var number: MDB_dbi = 0
        try LMDBError.check(mdb_dbi_open(handle, name, UInt32(MDB_CREATE), &number), "opening the table \(name)")
        return Database(handle: number)
    }

    @inline(__always)
    private borrowing func put(
        _ value: UnsafeRawBufferPointer, in database: Database, at key: UnsafeRawBufferPointer, flags: UInt32
    ) throws(StorageError) {
        var name = MDB_val(key)
        var bytes = MDB_val(value)
        try LMDBError.check(mdb_put(handle, database.handle, &name, &bytes, flags), "writing \(value.count) bytes")
    }
}
