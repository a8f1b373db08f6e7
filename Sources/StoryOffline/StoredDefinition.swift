import StoryCore
import StoryLog
import StoryFold
import StoryStore
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
        try log.fold(from: Position(1), through: log.head) { (record) throws(StorageError) in
            _ = try table.fold(record)
        }
        return try table.defined()
    }
}
