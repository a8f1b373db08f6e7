import StoryCore
import StoryStorage

/// The named databases of the models' environment.
struct ModelTables: Sendable {
    /// By the table's number.
    private let databases: [Database?]
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
        return options
    }

    /// Opens them all; those that are missing are made.
    init(_ transaction: borrowing WriteTransaction, _ tables: [ModelTable]) throws(StorageError) {
        var databases = ModelTables.none
        for table in tables { databases[Int(table.number)] = try transaction.database(table.name) }
        self.databases = databases
        numbers = tables.map(\.number).sorted()
        meta = try transaction.database(ModelTables.metaName)
    }

    /// Opens them for one view; nil when one is missing.
    init?(_ transaction: borrowing ReadTransaction, _ tables: [ModelTable]) throws(StorageError) {
        var databases = ModelTables.none
        for table in tables {
            guard let database = try transaction.database(table.name) else { return nil }
            databases[Int(table.number)] = database
        }
        numbers = tables.map(\.number).sorted()
        guard let meta = try transaction.database(ModelTables.metaName) else { return nil }
        self.databases = databases
        self.meta = meta
    }

    @inline(__always)
    subscript(table: UInt8) -> Database {
        guard let database = databases[Int(table)] else { preconditionFailure("Every table has a database.") }
        return database
    }

    private static var none: [Database?] {
        Array(repeating: nil, count: 256)
    }
}
