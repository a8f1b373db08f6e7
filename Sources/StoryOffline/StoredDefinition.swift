import StoryCore
import StoryLog
import StoryModels
import StoryStorage
import StoryWire

/// The definitions of declared models that have a store in a data directory.
enum StoredDefinition {
    /// Returns them in the order of their names.
    ///
    /// - Throws: the error of reading the log or the folder; `.failed` for a definition of another language.
    static func all(
        _ directory: DataDirectory, _ log: any EventLogReading
    ) throws(StorageError) -> [CompiledDefinition] {
        guard Folder.exists(directory.ownPath) else { return [] }
        let folders = Set(try Folder.names(in: directory.ownPath))
        guard !folders.isEmpty else { return [] }
        var found: [CompiledDefinition] = []
        for (name, model) in try defined(log) {
            for definition in [model.active, model.awaited].compactMap({ $0 })
            where folders.contains("\(name).\(definition.number)") {
                found.append(try CompiledDefinition(name, definition))
            }
        }
        return found
    }

    private static func defined(_ log: any EventLogReading) throws(StorageError) -> [(
        name: String, model: DeclaredModel
    )] {
        let table = DefinitionTable(MemoryModelStore(), json: JSONObjectReader())
        var failure: StorageError?
        guard log.head > .zero else { return [] }
        try log.scan(from: Position(1), through: log.head, order: .ascending) { record in
            do throws(StorageError) { _ = try table.fold(record) } catch { failure = error }
            return failure == nil
        }
        if let failure { throw failure }
        return try table.defined()
    }
}
