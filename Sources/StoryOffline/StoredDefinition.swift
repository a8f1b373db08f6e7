import StoryCore
import StoryLog
import StoryFold
import StoryStore
import StoryStorage

/// The definition of a declared model that has a store in a data directory, with a view of the store.
struct StoredDefinition {
    let compiled: CompiledDefinition
    let snapshot: ModelSnapshot

    /// Returns the path of the store of a definition.
    static func path(_ definition: CompiledDefinition, _ directory: DataDirectory) -> String {
        "\(directory.declaredPath)/\(definition.name).\(definition.number)"
    }

    /// Opens the store of a definition; nil where a daemon removed it meanwhile, or where it is being built and has a part
    /// of its tables alone.
    ///
    /// - Throws: `.corrupt` for a store that is no fold of the log; the error of opening it.
    init?(
        _ compiled: CompiledDefinition, _ directory: DataDirectory, _ log: LMDBEventLog
    ) throws(StorageError) {
        let path = StoredDefinition.path(compiled, directory)
        self.compiled = compiled
        do throws(StorageError) {
            snapshot = try ModelSnapshot(at: path, version: ModelVersion.ofPrograms, tables: compiled.schema.tables)
        } catch {
            guard Folder.exists(path) else { return nil }
            throw error
        }
        let isDeferred = try snapshot.value(in: ProgramTables.counts, at: RowIndexing.deferredKey) != nil
        guard snapshot.position > .zero, !isDeferred else {
            snapshot.close()
            return nil
        }
        if let reason = try snapshot.contradiction(log) {
            snapshot.close()
            throw .corrupt("\(path): \(reason)", at: nil)
        }
    }
}

extension DefinitionTable {
    /// Returns the definitions that have a store, in the order of their names.
    ///
    /// - Throws: the error of reading the folder.
    func stored(in directory: DataDirectory) throws(StorageError) -> [CompiledDefinition] {
        guard Folder.exists(directory.declaredPath) else { return [] }
        let folders = Set(try Folder.names(in: directory.declaredPath))
        guard !folders.isEmpty else { return [] }
        var found: [CompiledDefinition] = []
        for (name, model) in try defined() {
            for definition in [model.active, model.awaited].compactMap({ $0 })
            where folders.contains("\(name).\(definition.number)") {
                // One that does not compile is not served, and has no store that is looked at.
                if let compiled = try? CompiledDefinition(name, definition) { found.append(compiled) }
            }
        }
        return found
    }

    /// Returns the definitions that answer, in the order of their names, and why others cannot, by their names.
    ///
    /// - Parameter catalogue: the built-in kinds, whose names no model has.
    /// - Throws: the error of the table.
    func active(
        beside catalogue: Catalogue
    ) throws(StorageError) -> (definitions: [CompiledDefinition], failed: [String: String]) {
        var (found, failed): ([CompiledDefinition], [String: String]) = ([], [:])
        for (name, model) in try defined() {
            guard let active = model.active else { continue }
            do throws(StorageError) {
                guard !catalogue.kinds.contains(where: { $0.name == name }) else {
                    throw StorageError.failed("\(name) is a name of the store's own")
                }
                found.append(try CompiledDefinition(name, active))
            } catch {
                failed[name] = "\(error)"
            }
        }
        return (found, failed)
    }

    /// Folds the events at some positions of a log in.
    ///
    /// - Throws: the error of reading the log.
    func fold(_ log: any EventLogReading, at positions: [Position]) throws(StorageError) {
        var failure: StorageError?
        try log.records(at: positions) { record in
            do throws(StorageError) { _ = try fold(record) } catch { failure = error }
            return failure == nil
        }
        if let failure { throw failure }
    }

    /// Folds the events of a part of a log in.
    ///
    /// - Throws: the error of reading the log.
    func fold(_ log: any EventLogReading, from first: Position, through last: Position) throws(StorageError) {
        try log.fold(from: first, through: last) { (record) throws(StorageError) in _ = try fold(record) }
    }
}

extension ModelSnapshot {
    /// Returns the reason why stored models cannot be a fold of a log; nil when they can.
    ///
    /// A daemon may append events meanwhile, so the models may include events that the log did not have when it was
    /// opened.
    func contradiction(_ log: LMDBEventLog) throws(StorageError) -> String? {
        guard log.storedIdentity.holds(storeID, through: position) else { return "they are a fold of another log" }
        if position > log.head { try log.refresh() }
        guard position > log.head else { return nil }
        return "they are a fold of \(position) events, and the log ends at \(log.head)"
    }
}
