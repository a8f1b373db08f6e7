import StoryCore
import StoryStorage

/// The database of an index of words: one table of SQLite's full-text search, and the position that it is folded up to.
///
/// Unchecked: one thread at a time uses it.
final class WordDatabase: @unchecked Sendable {
    let connection: Connection
    /// The statements that are kept for their next use, by their text.
    private var statements: [String: Statement] = [:]
    /// The reason why the file is not as it was written; nil while none was found.
    var damage: String? {
        get { connection.damage }
        set { connection.damage = newValue }
    }

    /// Notes that the index differs from the log, and returns the error with which its use ends.
    func differs(_ reason: String) -> StorageError {
        damage = reason
        return .failed("the index of words is damaged")
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
        guard connection.reserve(-1) == Connection.reserved else {
            connection.damage = "its pages have no checksums"
            throw .corrupt("the index of words has no checksums", at: nil)
        }
        return try first("SELECT log, version, position FROM store") { row in
            Identity(log: row.bytes(0), version: row.text(1), position: Position(row.number(2)))
        }
    }

    /// Makes the tables of an empty index.
    ///
    /// - Parameter kinds: the names of the kinds whose rows are searched.
    /// - Throws: when the system refuses.
    func create(_ identity: Identity, _ kinds: [String]) throws(StorageError) {
        try transaction { () throws(StorageError) in
            // The texts stay in the log. No word has a character of ASCII that separates tokens.
            try run(
                """
                CREATE VIRTUAL TABLE words USING fts5(
                    text, content='', columnsize=0, tokenize="ascii tokenchars '_'")
                """)
            for kind in kinds {
                try run(
                    """
                    CREATE VIRTUAL TABLE words_\(kind) USING fts5(
                        text, content='', tokenize="ascii tokenchars '_'")
                    """)
                try run(
                    """
                    CREATE TABLE entries_\(kind)(
                        position INTEGER PRIMARY KEY, id BLOB NOT NULL, until INTEGER, texts TEXT NOT NULL)
                    """)
                try run("CREATE INDEX open_\(kind) ON entries_\(kind)(id) WHERE until IS NULL")
            }
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
    /// - Parameter table: the table of words that it is an entry of.
    /// - Throws: when the system refuses.
    func add(_ tokens: [UInt8], at position: Position, to table: String = "words") throws(StorageError) {
        let statement = try prepared("INSERT INTO \(table)(rowid, text) VALUES(?1, ?2)")
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
        let statement = try prepared("UPDATE store SET position = ?1")
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

    /// Returns the positions of a range that have a token, in their order.
    ///
    /// - Throws: the error of reading.
    func positions(
        of token: [UInt8], in positions: ClosedRange<Position>, of table: String
    ) throws(StorageError) -> [Position] {
        let statement = try prepared(
            "SELECT rowid FROM \(table) WHERE \(table) MATCH ?1 AND rowid BETWEEN ?2 AND ?3 ORDER BY rowid")
        statement.bind(positions.lowerBound.value, at: 2)
        statement.bind(positions.upperBound.value, at: 3)
        var found: [Position] = []
        try ([0x22] + token + [0x22]).withBytes { (text) throws(StorageError) in
            statement.bind(text: text, at: 1)
            defer { statement.reset() }
            while try statement.step() { found.append(Position(statement.row.number(0))) }
        }
        return found
    }

    // MARK: SQL

    private func run(_ sql: String) throws(StorageError) { try connection.run(sql) }

    /// Returns a statement that is kept for its next use.
    func prepared(_ sql: String) throws(StorageError) -> Statement {
        if let kept = statements[sql] { return kept }
        let statement = try Statement(sql, connection)
        statements[sql] = statement
        return statement
    }

    /// Returns the first row of a query; nil where there is none.
    private func first<Value>(_ sql: String, _ read: (Row) -> Value) throws(StorageError) -> Value? {
        let statement = try Statement(sql, connection)
        return try statement.step() ? read(statement.row) : nil
    }
}
