import CCheckedPages
import CSQLite
import Glibc
import StoryCore

/// A connection of SQLite to a database file.
final class Connection {
    /// The bytes at the end of each page that its checksum has.
    static let reserved = CCP_RESERVED
    let handle: OpaquePointer
    private let path: String
    /// The reason why the file is not as it was written; nil while none was found.
    var damage: String?

    init(_ path: String) throws(StorageError) {
        self.path = path
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX
        guard let files = ccp_register() else { throw .failed("out of memory: SQLite has no files with checksums") }
        let code = sqlite3_open_v2(path, &opened, flags, files)
        guard let opened else { throw .failed("out of memory: a database of SQLite") }
        handle = opened
        sqlite3_extended_result_codes(handle, 1)
        guard code == SQLITE_OK else { throw error(code) }
        // An empty file gets them with its first page.
        reserve(CCP_RESERVED)
    }

    deinit { sqlite3_close(handle) }

    /// Keeps bytes free at the end of each page of a new file.
    ///
    /// - Returns: the number of those that each page has.
    @discardableResult
    func reserve(_ count: Int32) -> Int32 {
        var count = count
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &count)
        return count
    }

    func run(_ sql: String) throws(StorageError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code) }
    }

    func rollBack() { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }

    func error(_ code: Int32) -> StorageError {
        let said =
            csq_is_checksum(code) != 0 ? "a page does not match its checksum" : String(cString: sqlite3_errmsg(handle))
        let reason = "\(path): \(said)"
        if csq_is_damage(code) != 0 {
            damage = reason
            return .corrupt(reason, at: nil)
        }
        let isFull = [ENOSPC, EDQUOT].contains(sqlite3_system_errno(handle))
        return code == SQLITE_FULL || code & 0xFF == SQLITE_IOERR && isFull ? .full(reason) : .failed(reason)
    }
}

/// A statement, which keeps its connection open.
final class Statement {
    private let handle: OpaquePointer
    private let connection: Connection

    init(_ sql: String, _ connection: Connection) throws(StorageError) {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v2(connection.handle, sql, -1, &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw connection.error(code) }
        (handle, self.connection) = (prepared, connection)
    }

    deinit { sqlite3_finalize(handle) }

    var row: Row { Row(handle: handle) }

    func bind(_ number: UInt64, at index: Int32) { sqlite3_bind_int64(handle, index, Int64(clamping: number)) }

    /// Binds a text that stays as it is until the statement is reset.
    func bind(text: UnsafeRawBufferPointer, at index: Int32) {
        let start = text.baseAddress?.assumingMemoryBound(to: CChar.self)
        _ = csq_bind_text(handle, index, start, Int32(clamping: text.count))
    }

    /// Binds bytes that stay as they are until the statement is reset.
    func bind(blob: UnsafeRawBufferPointer, at index: Int32) {
        _ = csq_bind_blob(handle, index, blob.baseAddress, Int32(clamping: blob.count))
    }

    /// Goes to the next row; returns false at the end.
    func step() throws(StorageError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw connection.error(code)
        }
    }

    func reset() { sqlite3_reset(handle) }
}

/// The present row of a statement.
struct Row {
    let handle: OpaquePointer

    func number(_ column: Int32) -> UInt64 { UInt64(clamping: sqlite3_column_int64(handle, column)) }

    func real(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    /// Returns an entry from the columns of its position and of its texts.
    func entry(_ position: Int32, texts: Int32) -> WordDatabase.Entry {
        let positions = text(texts).split(separator: " ").map { Position(UInt64($0) ?? 0) }
        return WordDatabase.Entry(position: Position(number(position)), texts: positions)
    }

    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

    func bytes(_ column: Int32) -> [UInt8] {
        let start = sqlite3_column_blob(handle, column)
        return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }
}

extension String {
    /// Calls `body` with the bytes in UTF-8, as `withUTF8` does, but with typed throws.
    mutating func withUTF8Bytes(
        _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
    ) throws(StorageError) {
        let result = withUTF8 { bytes in
            Result { () throws(StorageError) in try body(UnsafeRawBufferPointer(bytes)) }
        }
        try result.get()
    }
}
