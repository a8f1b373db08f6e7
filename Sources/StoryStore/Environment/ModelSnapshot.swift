import Glibc
package import StoryCore
import StoryFold
package import StoryStorage

/// A snapshot of the stored models at their last checkpoint, for another process, beside a daemon or alone.
///
/// While it is open the daemon cannot reuse freed pages, so it is closed as soon as the comparison is done.
package final class ModelSnapshot {
    /// The position that the models are folded up to.
    package let position: Position
    /// The ID of the log that they are a fold of.
    package let storeID: [UInt8]
    /// The version of the folds.
    package let version: UInt32

    private let environment: Environment
    /// The databases of the tables, by the tables' numbers.
    private let databases: [UInt8: Database]
    private var transaction: ReadTransaction?

    /// Opens the models after a checkpoint that a daemon is writing; throws `.failed` when that takes more than 5 s.
    package convenience init(in directory: DataDirectory, tables list: [ModelTable]) throws(StorageError) {
        try self.init(at: directory.modelsPath, version: ModelVersion.current, tables: list)
    }

    /// Opens the models at a path, as the other initializer does.
    ///
    /// - Parameter expected: the version of the folds.
    package init(at path: String, version expected: UInt32, tables list: [ModelTable]) throws(StorageError) {
        environment = try Environment.openReadOnly(at: path, ModelTables.options(list))
        let opening = try ReadTransaction(environment)
        guard Folder.exists(PageChecksums(models: path).path) else {
            throw .failed("\(path) is of an older version, without checksums: start a daemon, which folds it anew")
        }
        do throws(StorageError) {
            try PageProof.runBeside(path)
        } catch {
            PageChecksums(models: path).suspect(error)
            throw error
        }
        let meta = try opening.database(ModelTables.metaName)
        // Models of another version have other tables.
        if let meta, let record = try CheckpointRecord.read(opening, meta), record.version != expected {
            throw .failed(
                "\(path) is of version \(record.version), not \(expected): start a daemon, which folds it anew")
        }
        var databases: [UInt8: Database] = [:]
        for table in list {
            guard let database = try opening.database(table.name) else {
                throw .corrupt("\(path) lacks a table", at: nil)
            }
            databases[table.number] = database
        }
        guard let meta else { throw .corrupt("\(path) lacks a table", at: nil) }
        try opening.keepDatabases()
        var begun = try ReadTransaction(environment)
        try ModelSnapshot.waitForCheckpoint(&begun, meta, path)
        guard let record = try CheckpointRecord.read(begun, meta) else {
            throw .corrupt("\(path) says nothing of its checkpoint", at: nil)
        }
        self.databases = databases
        position = record.position
        storeID = record.storeID
        version = record.version
        transaction = consume begun
    }

    deinit { close() }

    /// Visits the entries of a table in key order until `visit` returns false; the bytes are valid until it returns.
    ///
    /// - Throws: any read error of the stored tables.
    package func scan(
        _ table: ModelTable,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) {
        try transaction.tree(of: table, in: environment).scan(isSet: table.isSet, visit)
    }

    /// Returns the size of a table's pages, in bytes.
    ///
    /// - Throws: any read error of the stored tables.
    package func size(of table: ModelTable) throws(StorageError) -> Int {
        guard let database = databases[table.number] else {
            preconditionFailure("table \(table.number) has no database")
        }
        return try transaction?.size(of: database) ?? 0
    }

    /// Returns the value at a key; nil when there is none.
    ///
    /// - Throws: any read error of the stored tables.
    package func value(in table: ModelTable, at key: [UInt8]) throws(StorageError) -> [UInt8]? {
        try key.withBytes { (key) throws(StorageError) in
            try transaction.tree(of: table, in: environment).value(at: key, isSet: table.isSet).map { Array($0) }
        }
    }

    /// Returns the digest of the tables of a model.
    ///
    /// - Throws: any read error of the stored tables.
    package func digest(of tables: [ModelTable]) throws(StorageError) -> ModelDigest {
        var digest = ModelDigest()
        for table in tables {
            try scan(table) { key, value in
                digest.add(table.number, key, value)
                return true
            }
        }
        return digest
    }

    /// Closes the snapshot and the models.
    package func close() {
        transaction = nil
        environment.close()
    }

    /// Waits up to 5 s for the last commit of a checkpoint, since the models are between two positions before it.
    private static func waitForCheckpoint(
        _ transaction: inout ReadTransaction, _ meta: Database, _ path: String
    ) throws(StorageError) {
        for _ in 1...500 {
            guard try CheckpointRecord.read(transaction, meta, at: CheckpointRecord.mark) != nil else { return }
            transaction.reset()
            usleep(10_000)
            try transaction.renew()
        }
        throw .failed("\(path) holds half a checkpoint: let a daemon finish it")
    }
}

/// The stored tables of models in LMDB, as of their last checkpoint, for another thread.
///
/// The models must stay open until it is closed, and no page that the models free meanwhile is used again.
///
/// Unchecked: the loop makes it, and hands it to one thread.
package final class StoredView: TableView, @unchecked Sendable {
    package let position: Position
    private let models: ModelEnvironment
    private var transaction: ReadTransaction?

    /// Views models; no checkpoint may be in progress.
    ///
    /// - Throws: `.failed` if LMDB has no free reader slot.
    package init(_ store: LMDBModelStore) throws(StorageError) {
        position = store.checkpointed
        models = store.opened
        transaction = try ReadTransaction(models.environment)
    }

    /// Verifies all pages.
    ///
    /// - Throws: `.corrupt` where a page is damaged.
    package func verify() throws(StorageError) { try models.verify() }

    package func scan(
        _ table: ModelTable,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) {
        try transaction.tree(of: table, in: models.environment).scan(isSet: table.isSet, visit)
    }

    package func has(_ key: UnsafeRawBufferPointer, in table: ModelTable) throws(StorageError) -> Bool {
        try transaction.tree(of: table, in: models.environment).value(at: key, isSet: table.isSet) != nil
    }

    package func close() { transaction = nil }
}
