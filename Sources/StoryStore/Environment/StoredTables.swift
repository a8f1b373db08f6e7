import StoryCore
import StoryFold
import StoryStorage

/// The stored tables of models in LMDB, as a transaction sees them until it is closed.
struct StoredTables: ~Copyable {
    let environment: Environment
    private var transaction: ReadTransaction?

    /// Creates the tables of a transaction.
    init(_ environment: Environment, in transaction: consuming ReadTransaction) {
        self.environment = environment
        self.transaction = consume transaction
    }

    /// Visits the entries of a table in key order until `visit` returns false; the bytes are valid until it returns.
    ///
    /// - Throws: any read error.
    borrowing func scan(
        _ table: ModelTable, _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) {
        var walk = try StoredWalk(tree(of: table), isSet: table.isSet, .all, .ascending)
        while let entry = walk.entry, visit(entry.key, entry.value) { try walk.advance() }
    }

    /// Returns the value at a key, valid until the transaction is closed; nil when there is none.
    ///
    /// - Throws: any read error.
    borrowing func value(
        in table: ModelTable, at key: UnsafeRawBufferPointer
    ) throws(StorageError) -> UnsafeRawBufferPointer? { try tree(of: table).value(at: key, isSet: table.isSet) }

    /// Returns the size of a database's pages in bytes; 0 once it is closed.
    ///
    /// - Throws: any read error.
    borrowing func size(of database: Database) throws(StorageError) -> Int {
        try transaction?.size(of: database) ?? 0
    }

    /// Ends the transaction.
    mutating func close() { transaction = nil }

    private borrowing func tree(of table: ModelTable) throws(StorageError) -> StoredTree {
        let found = try transaction?.tree(of: table.name, in: environment)
        guard let tree = found ?? nil else { throw .corrupt("\(environment.path) lacks \(table.name)", at: nil) }
        return tree
    }
}
