import CLMDB
import Glibc
package import StoryCore

/// The changes of one commit: all of them become durable with `commit`, or none when it is released without one.
///
/// It belongs to the thread that began it: LMDB's lock would otherwise never be released.
package struct WriteTransaction: ~Copyable {
    private let handle: TransactionHandle
    /// Retained, since it must not be closed before the transaction ends.
    private let environment: Unmanaged<Environment>

    /// Begins to write, after any other writer has ended; throws when LMDB refuses.
    package init(_ environment: Environment) throws(StorageError) {
        var begun: TransactionHandle?
        try LMDBError.check(environment.raw.begin(0, &begun), "beginning to write \(environment.path)")
        guard let begun else { throw .failed("LMDB began no transaction on \(environment.path)") }
        handle = begun
        environment.changes.begin()
        self.environment = .passRetained(environment)
    }

    deinit {
        handle.abort()
        environment.release()
    }

    /// Makes all changes durable.
    ///
    /// - Parameter isReserved: true when the file has room for them: an I/O error is then reported as one, and not as a
    ///   full disk.
    /// - Throws: `.full` when there was no room and nothing has changed; after `.failed` or `.corrupt` it is unknown
    ///   whether the changes are durable.
    package consuming func commit(isReserved: Bool = false) throws(StorageError) {
        let code = handle.commit()
        // LMDB has freed the transaction, whichever code it returned.
        let environment = environment.takeRetainedValue()
        discard self
        guard code != MDB_SUCCESS else { return }
        try environment.checkGoesOn(after: code)
        // LMDB reports a write that a full disk cut short as an I/O error; it has not written a meta page then.
        if !isReserved, code == EIO, DiskSpace.isExhausted(environment.fileDescriptor) {
            throw .full("no room is left while committing")
        }
        throw LMDBError.from(code, "committing")
    }

    /// Writes a value at a key, over any other.
    ///
    /// - Parameter isLast: true when the key must come after every other one.
    package borrowing func put(
        _ value: UnsafeRawBufferPointer, in database: Database, at key: UnsafeRawBufferPointer, isLast: Bool = false
    ) throws(StorageError) {
        var name = MDB_val(key)
        var bytes = MDB_val(value)
        let flags = isLast ? MDB_APPEND : 0
        environment._withUnsafeGuaranteedRef { $0.changes.add(isLast ? PageCount.ofLast : PageCount.ofEntry) }
        try LMDBError.check(handle.put(database, &name, &bytes, flags), "writing \(value.count) bytes")
    }

    /// Reserves memory for a value at a key that must come after every other one.
    ///
    /// Every byte of it has to be written before the next operation: LMDB returns memory with old bytes in it.
    package borrowing func append(
        reserving count: Int, in database: Database, at key: UnsafeRawBufferPointer
    ) throws(StorageError) -> UnsafeMutableRawPointer {
        var wanted = MDB_val(key)
        var bytes = MDB_val(mv_size: count, mv_data: nil)
        environment._withUnsafeGuaranteedRef { $0.changes.add(PageCount.ofLast) }
        let code = handle.put(database, &wanted, &bytes, MDB_APPEND | MDB_RESERVE)
        try LMDBError.check(code, "writing \(count) bytes")
        guard let memory = bytes.mv_data else { throw .failed("LMDB reserved no memory") }
        return memory
    }

    /// Calls `body` with a cursor in a database, which is closed when `body` returns.
    package borrowing func withCursor<Result>(
        in database: Database, _ body: (borrowing WriteCursor) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try body(WriteCursor(handle, database))
    }

    /// Returns the identity of the `data.mdb` that is written.
    ///
    /// - Throws: `.failed` when the system refuses.
    package borrowing func fileIdentity() throws(StorageError) -> FileIdentity {
        try FileIdentity(environment._withUnsafeGuaranteedRef { $0.fileDescriptor })
    }

    /// Opens a named database, which is created when there is none; it stays open after the commit.
    package borrowing func database(_ name: String) throws(StorageError) -> Database {
        var number: MDB_dbi = 0
        try LMDBError.check(handle.openDatabase(name, MDB_CREATE, &number), "opening the table \(name)")
        return Database(handle: number)
    }
}
