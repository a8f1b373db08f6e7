import StoryCore
import StoryStorage

/// The storage of a table.
struct StoredTable: Sendable {
    let name: String
    let database: Database
    /// True where only keys are stored, in blocks; otherwise each entry is one of the database.
    let isSet: Bool
}

/// The named databases of the models' environment.
struct ModelTables: Sendable {
    /// The tables by number.
    private let stored: [StoredTable?]
    /// The database of the checkpoint record.
    let meta: Database

    /// The tables' numbers, in ascending order.
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

    /// Opens the databases of all tables; missing ones are created.
    init(_ transaction: borrowing WriteTransaction, _ tables: [ModelTable]) throws(StorageError) {
        var stored = [StoredTable?](repeating: nil, count: 256)
        for table in tables {
            stored[Int(table.number)] = StoredTable(
                name: table.name, database: try transaction.database(table.name), isSet: table.isSet)
        }
        self.stored = stored
        numbers = tables.map(\.number).sorted()
        meta = try transaction.database(ModelTables.metaName)
    }

    @inline(__always)
    subscript(table: UInt8) -> StoredTable {
        guard let table = stored[Int(table)] else { preconditionFailure("table \(table) has no database") }
        return table
    }
}
