import StoryCore

/// Opens the stored models, or begins them anew where they cannot be used: they can always be folded again.
enum ModelOpening {
    struct Opened {
        let environment: Environment
        let tables: ModelTables
        let position: Position
        let renewal: String?
    }

    /// - Parameter fresh: what models that are begun anew say of themselves.
    static func open(_ path: String, _ fresh: CheckpointRecord) throws(StorageError) -> Opened {
        guard Folder.exists(path) else {
            try create(path, fresh)
            return try opened(path, fresh, renewal: nil)
        }
        if let reason = try unfitness(path, fresh) {
            try Folder.removeEnvironment(path)
            try create(path, fresh)
            return try opened(path, fresh, renewal: reason)
        }
        return try opened(path, fresh, renewal: nil)
    }

    /// Why the models at this path are of no use; nil when they are.
    private static func unfitness(_ path: String, _ fresh: CheckpointRecord) throws(StorageError) -> String? {
        do throws(StorageError) {
            let environment = try Environment.open(at: path, ModelTables.options)
            defer { environment.close() }
            let transaction = try ReadTransaction(environment)
            guard let meta = try transaction.database(ModelTables.metaName),
                let record = try CheckpointRecord.read(transaction.handle, meta)
            else { return "they say nothing of their checkpoint" }
            if record.storeID != fresh.storeID { return "they belong to another log" }
            if record.version != fresh.version { return "they are of version \(record.version)" }
            return nil
        } catch {
            guard case .corrupt(let sentence, _) = error else { throw error }
            return sentence
        }
    }

    private static func create(_ path: String, _ fresh: CheckpointRecord) throws(StorageError) {
        try Environment.create(at: path, ModelTables.options) { (transaction) throws(StorageError) in
            try fresh.write(transaction, ModelTables(transaction).meta)
        }
    }

    private static func opened(
        _ path: String, _ fresh: CheckpointRecord, renewal: String?
    ) throws(StorageError) -> Opened {
        let environment = try Environment.open(at: path, ModelTables.options)
        let transaction = try WriteTransaction(environment)
        let tables = try ModelTables(transaction)
        let record = try CheckpointRecord.read(transaction.handle, tables.meta)
        try transaction.commit()
        return Opened(
            environment: environment, tables: tables, position: record?.position ?? .zero, renewal: renewal)
    }
}
