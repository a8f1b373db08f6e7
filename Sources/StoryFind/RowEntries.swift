import StoryCore

/// The entries of rows.
extension WordDatabase {
    /// The words that a row had from a position on.
    struct Entry: Equatable {
        /// The position of the event that gave the row its texts.
        let position: Position
        /// The position of the event that each of the texts is of; zero where the row has none.
        let texts: [Position]
    }

    /// Returns the entry of a row that has not ended; nil where there is none.
    ///
    /// - Parameter kind: the name of its kind.
    /// - Throws: the error of reading.
    func entry(of id: [UInt8], _ kind: String) throws(StorageError) -> Entry? {
        let statement = try prepared("SELECT position, texts FROM entries_\(kind) WHERE id = ?1 AND until IS NULL")
        return try id.withBytes { (id) throws(StorageError) in
            statement.bind(blob: id, at: 1)
            defer { statement.reset() }
            return try statement.step() ? statement.row.entry(0, texts: 1) : nil
        }
    }

    /// Returns the entry that an event made; nil where it made none.
    ///
    /// - Throws: the error of reading.
    func entry(at position: Position, _ kind: String) throws(StorageError) -> Entry? {
        let statement = try prepared("SELECT position, texts FROM entries_\(kind) WHERE position = ?1")
        statement.bind(position.value, at: 1)
        defer { statement.reset() }
        return try statement.step() ? statement.row.entry(0, texts: 1) : nil
    }

    /// Ends an entry at a position; in a transaction.
    ///
    /// - Throws: when the system refuses.
    func end(_ entry: Entry, at position: Position, _ kind: String) throws(StorageError) {
        let statement = try prepared("UPDATE entries_\(kind) SET until = ?1 WHERE position = ?2")
        statement.bind(position.value, at: 1)
        statement.bind(entry.position.value, at: 2)
        defer { statement.reset() }
        _ = try statement.step()
    }

    /// Adds an entry with the tokens of its texts; in a transaction.
    ///
    /// - Throws: when the system refuses.
    func add(_ entry: Entry, of id: [UInt8], _ tokens: [UInt8], to kind: String) throws(StorageError) {
        let statement = try prepared("INSERT INTO entries_\(kind)(position, id, texts) VALUES(?1, ?2, ?3)")
        statement.bind(entry.position.value, at: 1)
        var texts = entry.texts.map { String($0.value) }.joined(separator: " ")
        try id.withBytes { (id) throws(StorageError) in
            statement.bind(blob: id, at: 2)
            try texts.withUTF8Bytes { (texts) throws(StorageError) in
                statement.bind(text: texts, at: 3)
                defer { statement.reset() }
                _ = try statement.step()
            }
        }
        if !tokens.isEmpty { try add(tokens, at: entry.position, to: "words_\(kind)") }
    }

    /// Visits the entries that match an expression and hold at a position, the newest first, until `visit` returns false.
    ///
    /// - Parameters:
    ///   - before: the position that all entries are before.
    ///   - isRanked: whether ranks are computed, which are less for better entries.
    ///   - visit: receives an entry, the ID of its row, and its rank.
    /// - Throws: the error of reading, or of `visit`.
    func find(
        _ expression: String, of kind: String, at position: Position, before: Position, isRanked: Bool,
        _ visit: (Entry, _ id: [UInt8], Double) throws(StorageError) -> Bool
    ) throws(StorageError) {
        let statement = try Statement(
            """
            SELECT position, texts, id, \(isRanked ? "bm25(words_\(kind))" : "0")
            FROM words_\(kind) CROSS JOIN entries_\(kind) ON position = words_\(kind).rowid
            WHERE words_\(kind) MATCH ?1 AND words_\(kind).rowid < ?2 AND ifnull(until, ?3 + 1) > ?3
            ORDER BY words_\(kind).rowid DESC
            """, connection)
        statement.bind(min(before.value, position.value + 1), at: 2)
        statement.bind(position.value, at: 3)
        var expression = expression
        try expression.withUTF8Bytes { (text) throws(StorageError) in
            statement.bind(text: text, at: 1)
            while try statement.step() {
                let row = statement.row
                guard try visit(row.entry(0, texts: 1), row.bytes(2), row.real(3)) else { return }
            }
        }
    }
}
