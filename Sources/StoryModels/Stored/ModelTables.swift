import StoryCore
import StoryStorage

/// How a table is stored.
struct StoredTable: Sendable {
    let database: Database
    /// True where keys alone are stored, in blocks; else each entry is one of the database.
    let isSet: Bool
}

/// The named databases of the models' environment.
struct ModelTables: Sendable {
    /// By the table's number.
    private let stored: [StoredTable?]
    /// Where the checkpoint is kept.
    let meta: Database

    /// The tables' numbers, from the least on.
    let numbers: [UInt8]

    static let metaName = "meta"

    static func options(
        _ tables: [ModelTable], mapSize: Int = EnvironmentOptions().mapSize
    ) -> EnvironmentOptions {
        var options = EnvironmentOptions(databases: UInt32(tables.count) + 1)
        options.mapSize = mapSize
        options.isWalkedFirst = false
        return options
    }

    /// Opens them all; those that are missing are made.
    init(_ transaction: borrowing WriteTransaction, _ tables: [ModelTable]) throws(StorageError) {
        var stored = ModelTables.none
        for table in tables {
            stored[Int(table.number)] = StoredTable(
                database: try transaction.database(table.name), isSet: table.isSet)
        }
        self.stored = stored
        numbers = tables.map(\.number).sorted()
        meta = try transaction.database(ModelTables.metaName)
    }

    /// Opens them for one view; nil when one is missing.
    init?(_ transaction: borrowing ReadTransaction, _ tables: [ModelTable]) throws(StorageError) {
        var stored = ModelTables.none
        for table in tables {
            guard let database = try transaction.database(table.name) else { return nil }
            stored[Int(table.number)] = StoredTable(database: database, isSet: table.isSet)
        }
        numbers = tables.map(\.number).sorted()
        guard let meta = try transaction.database(ModelTables.metaName) else { return nil }
        self.stored = stored
        self.meta = meta
    }

    @inline(__always)
    subscript(table: UInt8) -> StoredTable {
        guard let table = stored[Int(table)] else { preconditionFailure("Every table has a database.") }
        return table
    }

    private static var none: [StoredTable?] {
        Array(repeating: nil, count: 256)
    }
}

extension ReadTransaction {
    /// The bytes at a key of a table, which die with the view: none at a key of a set; nil where it is not there.
    ///
    /// - Throws: what reading failed with.
    borrowing func value(
        in table: StoredTable, at key: UnsafeRawBufferPointer
    ) throws(StorageError) -> UnsafeRawBufferPointer? {
        guard table.isSet else { return try value(in: table.database, at: key) }
        let walk = try StoredWalk(handle, table, KeyBounds(lower: key, upper: nil), .ascending)
        guard let found = walk.entry?.key else { return nil }
        return Memory.areEqual(found, key) ? UnsafeRawBufferPointer.none : nil
    }
}
