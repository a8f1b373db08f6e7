import CLMDB
import Glibc
package import StoryCore

// The only file with LMDB's pointers: the other types of this target use these handles, other targets see neither. A
// function calls that of LMDB with the same name, and returns its code.

/// An environment of LMDB.
struct EnvironmentHandle {
    fileprivate let pointer: OpaquePointer

    static func create(_ created: inout EnvironmentHandle?) -> Int32 {
        var pointer: OpaquePointer?
        let code = mdb_env_create(&pointer)
        created = pointer.map(EnvironmentHandle.init)
        return code
    }

    func open(_ path: String, _ flags: UInt32) -> Int32 { mdb_env_open(pointer, path, flags, 0o600) }
    func close() { mdb_env_close(pointer) }
    func sync() -> Int32 { mdb_env_sync(pointer, 1) }

    func setMapSize(_ size: Int) -> Int32 { mdb_env_set_mapsize(pointer, size) }
    func setMaxDatabases(_ count: UInt32) -> Int32 { mdb_env_set_maxdbs(pointer, count) }
    func setMaxReaders(_ count: UInt32) -> Int32 { mdb_env_set_maxreaders(pointer, count) }

    func checkReaders() {
        var dead: Int32 = 0
        mdb_reader_check(pointer, &dead)
    }

    /// The number of the oldest transaction whose snapshot is read, by any process; nil where none is.
    var oldestSnapshot: UInt? {
        var oldest: UInt?
        withUnsafeMutablePointer(to: &oldest) { oldest in
            // A line for each reader, whose last word is the number, or a dash.
            _ = mdb_reader_list(
                pointer,
                { text, context in
                    let oldest = context?.assumingMemoryBound(to: UInt?.self)
                    let word = text.map { String(cString: $0) }?.split(whereSeparator: \.isWhitespace).last
                    if let number = word.flatMap({ UInt($0) }) {
                        oldest?.pointee = min(oldest?.pointee ?? number, number)
                    }
                    return 0
                }, oldest)
        }
        return oldest
    }

    var status: MDB_stat {
        var status = MDB_stat()
        mdb_env_stat(pointer, &status)
        return status
    }

    var info: MDB_envinfo {
        var info = MDB_envinfo()
        mdb_env_info(pointer, &info)
        return info
    }

    var fileDescriptor: Int32 {
        var descriptor: Int32 = -1
        mdb_env_get_fd(pointer, &descriptor)
        return descriptor
    }

    func begin(_ flags: Int32, _ begun: inout TransactionHandle?) -> Int32 {
        var transaction: OpaquePointer?
        let code = mdb_txn_begin(pointer, nil, UInt32(flags), &transaction)
        begun = transaction.map(TransactionHandle.init)
        return code
    }
}

/// A transaction of LMDB.
struct TransactionHandle {
    fileprivate let pointer: OpaquePointer

    func commit() -> Int32 { mdb_txn_commit(pointer) }
    func abort() { mdb_txn_abort(pointer) }
    func reset() { mdb_txn_reset(pointer) }
    func renew() -> Int32 { mdb_txn_renew(pointer) }

    func openDatabase(_ name: String?, _ flags: Int32, _ database: inout MDB_dbi) -> Int32 {
        mdb_dbi_open(pointer, name, UInt32(flags), &database)
    }

    func status(_ database: Database, _ status: inout MDB_stat) -> Int32 {
        mdb_stat(pointer, database.handle, &status)
    }

    @inline(__always)
    func get(_ database: Database, _ key: inout MDB_val, _ value: inout MDB_val) -> Int32 {
        mdb_get(pointer, database.handle, &key, &value)
    }

    func put(_ database: Database, _ key: inout MDB_val, _ value: inout MDB_val, _ flags: Int32) -> Int32 {
        mdb_put(pointer, database.handle, &key, &value, UInt32(flags))
    }

    func openCursor(_ database: Database, _ opened: inout CursorHandle?) -> Int32 {
        var cursor: OpaquePointer?
        let code = mdb_cursor_open(pointer, database.handle, &cursor)
        opened = cursor.map(CursorHandle.init)
        return code
    }
}

/// A cursor of LMDB.
struct CursorHandle {
    fileprivate let pointer: OpaquePointer

    func close() { mdb_cursor_close(pointer) }

    @inline(__always)
    func get(_ key: inout MDB_val, _ value: inout MDB_val, _ step: MDB_cursor_op) -> Int32 {
        mdb_cursor_get(pointer, &key, &value, step)
    }

    func getKey(_ key: inout MDB_val, _ step: MDB_cursor_op) -> Int32 { mdb_cursor_get(pointer, &key, nil, step) }
    func put(_ key: inout MDB_val, _ value: inout MDB_val) -> Int32 { mdb_cursor_put(pointer, &key, &value, 0) }
    func delete() -> Int32 { mdb_cursor_del(pointer, 0) }
}

/// A database: one ordered map of an environment.
package struct Database: Sendable {
    /// The main database, which every environment has.
    package static let main = Database(handle: 1)

    let handle: MDB_dbi
}

extension MDB_val {
    /// Refers to bytes without a copy; LMDB never writes through a key, or through a value that it copies.
    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) {
        self.init(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }

    @inline(__always)
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: mv_data, count: mv_size) }
}

/// Conversion of the codes of LMDB and the system into storage errors.
package enum LMDBError {
    /// Returns the error for a code of LMDB, or for an errno; `doing` ends the sentence "… while".
    package static func from(_ code: Int32, _ doing: @autoclosure () -> String) -> StorageError {
        let sentence = "\(text(code)) while \(doing())"
        switch code {
        case ENOSPC, EDQUOT, EFBIG, MDB_MAP_FULL, MDB_TXN_FULL:
            return .full(sentence)
        case MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_INVALID, MDB_VERSION_MISMATCH:
            return .corrupt(sentence, at: nil)
        default:
            return .failed(sentence)
        }
    }

    /// Throws unless the code is success.
    @inline(__always)
    package static func check(_ code: Int32, _ doing: @autoclosure () -> String) throws(StorageError) {
        if code != MDB_SUCCESS { throw from(code, doing()) }
    }

    static func text(_ code: Int32) -> String {
        guard let text = mdb_strerror(code) else { return "error \(code)" }
        return String(cString: text)
    }
}
