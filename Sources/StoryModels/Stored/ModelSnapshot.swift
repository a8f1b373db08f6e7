import Glibc
package import StoryCore
package import StoryStorage

/// The stored models as they were at their last checkpoint; for a process of its own, beside a daemon or alone.
///
/// While it is open the daemon cannot use freed pages again, so it is closed as soon as it was compared.
package final class ModelSnapshot {
    /// What the models are a fold of.
    package let position: Position
    /// Which log they are a fold of.
    package let storeID: [UInt8]
    /// The version of the folds.
    package let version: UInt32

    private let environment: Environment
    private let tables: ModelTables
    private var transaction: ReadTransaction?

    /// Waits for a checkpoint that a daemon is just writing; throws `.failed` when it does not end.
    package init(in directory: DataDirectory, tables list: [ModelTable] = Table.list) throws(StorageError) {
        let path = directory.modelsPath
        environment = try Environment.openReadOnly(at: path, ModelTables.options(list))
        let opening = try ReadTransaction(environment)
        guard let tables = try ModelTables(opening, list) else { throw .corrupt("\(path) lacks a table", at: nil) }
        try opening.keepDatabases()
        let begun = try ReadTransaction(environment)
        try ModelSnapshot.waitForCheckpoint(begun, tables.meta, path)
        guard let record = try CheckpointRecord.read(begun.handle, tables.meta) else {
            throw .corrupt("\(path) says nothing of its checkpoint", at: nil)
        }
        self.tables = tables
        position = record.position
        storeID = record.storeID
        version = record.version
        transaction = consume begun
    }

    deinit { close() }

    /// Visits the entries of a range in order until `visit` answers false; the bytes die when it returns.
    package func scan(
        _ table: Table, _ range: KeyRange = KeyRange(), _ order: Order = .ascending,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) {
        let handle = transaction?.handle
        guard let handle else { preconditionFailure("A snapshot is not read after it was closed.") }
        try WalkRange.with(range) { (bounds) throws(StorageError) in
            var walk = try StoredWalk(handle, tables[table], bounds, order)
            while let entry = walk.entry, visit(entry.key, entry.value) { try walk.advance() }
        }
    }

    /// The bytes of the pages that a table takes.
    ///
    /// - Throws: what reading failed with.
    package func size(of table: ModelTable) throws(StorageError) -> Int {
        try transaction?.size(of: tables[table.number]) ?? 0
    }

    package func value(in table: Table, at key: [UInt8]) throws(StorageError) -> [UInt8]? {
        try key.withBytes { (key) throws(StorageError) in
            try transaction?.value(in: tables[table], at: key).map { Array($0) }
        }
    }

    package func digest(of model: Model) throws(StorageError) -> ModelDigest {
        var digest = ModelDigest()
        for table in model.tables {
            try scan(table) { key, value in
                digest.add(table, key, value)
                return true
            }
        }
        return digest
    }

    package func close() {
        transaction = nil
        environment.close()
    }

    /// Between the commits of one checkpoint the models are a fold up to no position.
    private static func waitForCheckpoint(
        _ transaction: borrowing ReadTransaction, _ meta: Database, _ path: String
    ) throws(StorageError) {
        for _ in 1...500 {
            guard try CheckpointRecord.read(transaction.handle, meta, at: CheckpointRecord.mark) != nil else { return }
            transaction.reset()
            usleep(10_000)
            try transaction.renew()
        }
        throw .failed("\(path) holds half a checkpoint: let a daemon finish it")
    }
}
