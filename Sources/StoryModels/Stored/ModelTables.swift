import StoryCore
import StoryStorage

/// The named databases of the models' environment.
struct ModelTables: Sendable {
    /// By the table's number.
    private let databases: [Database?]
    /// Where the checkpoint is kept.
    let meta: Database

    static let options = options(mapSize: EnvironmentOptions().mapSize)
    static let metaName = "meta"

    static func options(mapSize: Int) -> EnvironmentOptions {
        var options = EnvironmentOptions(databases: UInt32(Table.allCases.count) + 1)
        options.mapSize = mapSize
        return options
    }

    /// Opens them all; those that are missing are made.
    init(_ transaction: borrowing WriteTransaction) throws(StorageError) {
        var databases = ModelTables.none
        for table in Table.allCases { databases[Int(table.rawValue)] = try transaction.database("\(table)") }
        self.databases = databases
        meta = try transaction.database(ModelTables.metaName)
    }

    /// Opens them for one view; nil when one is missing.
    init?(_ transaction: borrowing ReadTransaction) throws(StorageError) {
        var databases = ModelTables.none
        for table in Table.allCases {
            guard let database = try transaction.database("\(table)") else { return nil }
            databases[Int(table.rawValue)] = database
        }
        guard let meta = try transaction.database(ModelTables.metaName) else { return nil }
        self.databases = databases
        self.meta = meta
    }

    @inline(__always)
    subscript(table: Table) -> Database {
        guard let database = databases[Int(table.rawValue)] else { preconditionFailure("Every table has a database.") }
        return database
    }

    private static var none: [Database?] {
        Array(repeating: nil, count: 1 + Int(Table.allCases.map(\.rawValue).max() ?? 0))
    }
}
