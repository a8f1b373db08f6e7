import CSQLite
import Glibc
import StoryCore
import StoryStorage

/// The database of an index of words: one table of SQLite's full-text search, and the position that it is folded up to.
///
/// Unchecked: one thread at a time uses it.
final class WordDatabase: @unchecked Sendable {
    private let connection: Connection
    private var insertion: Statement?
    private var move: Statement?
    /// The reason why the file is not as it was written; nil while none was found.
    var damage: String? {
        get { connection.damage }
        set { connection.damage = newValue }
    }

    /// Opens a database file, which may be empty.
    ///
    /// - Throws: `.corrupt` where it is no database of SQLite; otherwise when the system refuses.
    init(_ path: String) throws(StorageError) {
        connection = try Connection(path)
        // Without a second process there is no shared memory; a transaction is durable with the next checkpoint.
        try run("PRAGMA locking_mode=EXCLUSIVE")
        try run("PRAGMA journal_mode=WAL")
        try run("PRAGMA synchronous=NORMAL")
        try run("PRAGMA cache_size=-4096")
        try run("PRAGMA temp_store=MEMORY")
        try run("PRAGMA journal_size_limit=16777216")
    }

    /// The identity of an index: the log that it is of, the version of its words, and the position that it is folded up to.
    struct Identity: Equatable {
        let log: [UInt8]
        let version: String
        let position: Position
    }

    /// Returns the identity of the index; nil for a file without one.
    ///
    /// - Throws: the error of reading it.
    func identity() throws(StorageError) -> Identity? {
        guard try first("SELECT count(*) FROM sqlite_schema WHERE name = 'store'", { $0.number(0) }) == 1 else {
            return nil
        }
        return try first("SELECT log, version, position FROM store") { row in
            Identity(log: row.bytes(0), version: row.text(1), position: Position(row.number(2)))
        }
    }

    /// Makes the tables of an empty index.
    ///
    /// - Throws: when the system refuses.
    func create(_ identity: Identity) throws(StorageError) {
        try transaction { () throws(StorageError) in
            // The texts stay in the log. No word has a character of ASCII that separates tokens.
            try run(
                """
                CREATE VIRTUAL TABLE words USING fts5(
                    text, content='', columnsize=0, tokenize="ascii tokenchars '_'")
                """)
            try run("CREATE TABLE store(log BLOB NOT NULL, version TEXT NOT NULL, position INTEGER NOT NULL)")
            let statement = try Statement("INSERT INTO store VALUES(?1, ?2, ?3)", connection)
            statement.bind(identity.position.value, at: 3)
            var version = identity.version
            try identity.log.withBytes { (log) throws(StorageError) in
                statement.bind(blob: log, at: 1)
                try version.withUTF8Bytes { (version) throws(StorageError) in
                    statement.bind(text: version, at: 2)
                    _ = try statement.step()
                }
            }
        }
    }

    /// Runs `body` in a transaction, which is undone where it throws.
    ///
    /// - Throws: the error of `body`, or of the transaction.
    func transaction(_ body: () throws(StorageError) -> Void) throws(StorageError) {
        try run("BEGIN IMMEDIATE")
        do throws(StorageError) {
            try body()
            try run("COMMIT")
        } catch {
            connection.rollBack()
            throw error
        }
    }

    /// Adds the tokens of an event; in a transaction.
    ///
    /// - Throws: when the system refuses.
    func add(_ tokens: [UInt8], at position: Position) throws(StorageError) {
        let statement = try prepared(&insertion, "INSERT INTO words(rowid, text) VALUES(?1, ?2)")
        statement.bind(position.value, at: 1)
        try tokens.withBytes { (tokens) throws(StorageError) in
            statement.bind(text: tokens, at: 2)
            defer { statement.reset() }
            _ = try statement.step()
        }
    }

    /// Notes the position that the index is folded up to; in a transaction.
    ///
    /// - Throws: when the system refuses.
    func moved(to position: Position) throws(StorageError) {
        let statement = try prepared(&move, "UPDATE store SET position = ?1")
        statement.bind(position.value, at: 1)
        defer { statement.reset() }
        _ = try statement.step()
    }

    /// Visits the positions that match an expression, in order, until `visit` returns false.
    ///
    /// - Throws: the error of reading, or of `visit`.
    func find(
        _ expression: String, in positions: ClosedRange<Position>, _ order: Order,
        _ visit: (Position) throws(StorageError) -> Bool
    ) throws(StorageError) {
        let direction = order == .ascending ? "ASC" : "DESC"
        let statement = try Statement(
            "SELECT rowid FROM words WHERE words MATCH ?1 AND rowid BETWEEN ?2 AND ?3 ORDER BY rowid \(direction)",
            connection)
        statement.bind(positions.lowerBound.value, at: 2)
        statement.bind(positions.upperBound.value, at: 3)
        var expression = expression
        try expression.withUTF8Bytes { (text) throws(StorageError) in
            statement.bind(text: text, at: 1)
            while try statement.step() { guard try visit(Position(statement.row.number(0))) else { return } }
        }
    }

    // MARK: SQL

    private func run(_ sql: String) throws(StorageError) { try connection.run(sql) }

    /// Returns a statement that is kept for its next use.
    private func prepared(_ kept: inout Statement?, _ sql: String) throws(StorageError) -> Statement {
        if let kept { return kept }
        let statement = try Statement(sql, connection)
        kept = statement
        return statement
    }

    /// Returns the first row of a query; nil where there is none.
    private func first<Value>(_ sql: String, _ read: (Row) -> Value) throws(StorageError) -> Value? {
        let statement = try Statement(sql, connection)
        return try statement.step() ? read(statement.row) : nil
    }
}

/// A connection of SQLite to a database file.
private final class Connection {
    let handle: OpaquePointer
    private let path: String
    /// The reason why the file is not as it was written; nil while none was found.
    var damage: String?

    init(_ path: String) throws(StorageError) {
        self.path = path
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard let opened else { throw .failed("out of memory: a database of SQLite") }
        handle = opened
        sqlite3_extended_result_codes(handle, 1)
        guard code == SQLITE_OK else { throw error(code) }
    }

    deinit { sqlite3_close(handle) }

    func run(_ sql: String) throws(StorageError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code) }
    }

    func rollBack() { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }

    func error(_ code: Int32) -> StorageError {
        let reason = "\(path): \(String(cString: sqlite3_errmsg(handle)))"
        if csq_is_damage(code) != 0 {
            damage = reason
            return .corrupt(reason, at: nil)
        }
        let isFull = [ENOSPC, EDQUOT].contains(sqlite3_system_errno(handle))
        return code == SQLITE_FULL || code & 0xFF == SQLITE_IOERR && isFull ? .full(reason) : .failed(reason)
    }
}

/// A statement, which keeps its connection open.
private final class Statement {
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
private struct Row {
    let handle: OpaquePointer

    func number(_ column: Int32) -> UInt64 { UInt64(clamping: sqlite3_column_int64(handle, column)) }

    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

    func bytes(_ column: Int32) -> [UInt8] {
        let start = sqlite3_column_blob(handle, column)
        return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }
}

extension String {
    /// Calls `body` with the bytes in UTF-8, as `withUTF8` does, but with typed throws.
    fileprivate mutating func withUTF8Bytes(
        _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
    ) throws(StorageError) {
        let result = withUTF8 { bytes in
            Result { () throws(StorageError) in try body(UnsafeRawBufferPointer(bytes)) }
        }
        try result.get()
    }
}
