package import StoryCore
package import StoryStorage

/// The opening of the stored models; unusable models are created again, since they can always be folded from the log.
enum ModelOpening {
    /// Opens models; those that are missing or unusable are created.
    ///
    /// - Parameter owner: the log that they must be a fold of.
    static func open(_ identity: ModelIdentity, _ owner: ModelOwner) throws(StorageError) -> ModelEnvironment {
        let isThere = Folder.exists(identity.path)
        var firstPages = 0
        let reason = isThere ? try unfitness(identity, owner, &firstPages) : nil
        if !isThere || reason != nil {
            try Folder.retireEnvironment(identity.path)
            try create(identity)
        }
        return try open(identity, renewal: reason, verified: firstPages)
    }

    /// Returns the reason why the models at this path are unusable; nil when they are usable.
    private static func unfitness(
        _ identity: ModelIdentity, _ owner: ModelOwner, _ firstPages: inout Int
    ) throws(StorageError) -> String? {
        let (path, fresh) = (identity.path, identity.record)
        do throws(StorageError) {
            firstPages = try PageChecksums(models: path).begin()
            let environment = try Environment.open(at: path, identity.options)
            defer { environment.close() }
            let checksums = try KeptChecksums(of: environment)
            let transaction = try ReadTransaction(environment)
            guard let meta = try transaction.tree(of: ModelTables.metaName, in: environment, checksums.pages),
                let record = try CheckpointRecord.read(meta)
            else { return "they say nothing of their checkpoint" }
            firstPages += checksums.pages.count
            if !owner.canOpen(record) { return "they belong to another log" }
            if record.version != fresh.version { return "they are of version \(record.version)" }
            if try CheckpointRecord.read(meta, at: CheckpointRecord.mark) != nil {
                let resumed = try CheckpointJournal(models: path).read()?.record
                guard let resumed, owner.canOpen(resumed), resumed.version == fresh.version else {
                    return "a checkpoint broke off and its journal is not whole"
                }
            }
            return nil
        } catch {
            guard case .corrupt(let sentence, _) = error else { throw error }
            return sentence
        }
    }

    private static func create(_ identity: ModelIdentity) throws(StorageError) {
        let options = ModelTables.options(identity.tables)
        try Environment.create(at: identity.path, options) { (transaction) throws(StorageError) in
            let meta = try ModelTables(transaction, identity.tables).meta
            try identity.record.write(transaction, meta, as: CheckpointRecord.key)
        }
    }

    /// Opens models that exist, and resumes a checkpoint that was interrupted: entries that were written already are
    /// written again.
    ///
    /// - Parameter pages: the number of pages that were verified before; the others are verified as they are read.
    static func open(
        _ identity: ModelIdentity, renewal: String? = nil, verified pages: Int = 0
    ) throws(StorageError) -> ModelEnvironment {
        let environment = try Environment.open(at: identity.path, identity.options)
        let transaction = try WriteTransaction(environment)
        let tables = try ModelTables(transaction, identity.tables)
        try transaction.commit()
        let (record, mark) = try records(environment, tables.meta)
        let checksums = try KeptChecksums(of: environment)
        try checksums.update()
        var models = ModelEnvironment(
            environment: environment, tables: tables, checksums: checksums, position: record?.position ?? .zero,
            renewal: renewal, firstPages: pages)
        guard mark != nil, let (buffers, resumed) = try CheckpointJournal(models: identity.path).read() else {
            return models
        }
        try CheckpointWriter(buffers, models, resumed, isMarked: true).run()
        models.position = resumed.position
        return models
    }

    /// Returns the record of the last checkpoint, and that of one that was interrupted.
    private static func records(
        _ environment: Environment, _ meta: Database
    ) throws(StorageError) -> (record: CheckpointRecord?, mark: CheckpointRecord?) {
        let view = try ReadTransaction(environment)
        return (try CheckpointRecord.read(view, meta), try CheckpointRecord.read(view, meta, at: CheckpointRecord.mark))
    }
}

/// The log that stored models must be a fold of.
package struct ModelOwner {
    let identity: StoredIdentity
    let head: Position

    /// Creates the owner of a log that ends at `head`.
    package init(identity: StoredIdentity, head: Position) {
        self.identity = identity
        self.head = head
    }

    /// Returns false for models of another log, which are folded from the start.
    ///
    /// Models of this history that are ahead of the log are opened: events of the log were lost, which must not be
    /// ignored.
    func canOpen(_ record: CheckpointRecord) -> Bool {
        if identity.holds(record.storeID, through: record.position) { return true }
        return record.position > head && identity.ancestors.contains { $0.id == record.storeID }
    }
}

extension LMDBModelStore {
    /// Opens the stored models. Models of another version, and models that hold more than this log and an ancestor
    /// share, are removed and folded from the start.
    ///
    /// - Parameters:
    ///   - ancestors: the logs that this one was copied from, with the last position that both have.
    ///   - head: the log's last event. Models that are ahead of it are opened, so that they can be refused.
    package convenience init(
        in directory: DataDirectory, storeID: [UInt8], ancestors: [StoredIdentity.Ancestor] = [], head: Position = .max,
        version: UInt32, mapSize: Int = EnvironmentOptions().mapSize, tables list: [ModelTable]
    ) throws(StorageError) {
        precondition(directory.access != .reading, "models opened in a directory with access \(directory.access)")
        let owner = ModelOwner(identity: StoredIdentity(id: storeID, ancestors: ancestors), head: head)
        try self.init(at: directory.modelsPath, owner, version: version, mapSize: mapSize, tables: list)
    }
}
