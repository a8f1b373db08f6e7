import StoryCore
import StoryLog
import StoryModels
import StoryStorage
import StoryWire

/// A definition of a declared model that has a store in the data directory.
final class StoredDefinition {
    /// The name of the model.
    let name: String
    /// The number of the definition.
    let number: UInt32
    let program: Program
    /// The plan of a catalogue that has the model alone; the folds point into it.
    let plan: CataloguePlan
    let schema: KindSchema

    /// - Throws: `.failed` for a text of another language.
    init(_ name: String, _ numbered: DeclaredModel.Numbered) throws(StorageError) {
        (self.name, number) = (name, numbered.number)
        let text = String(decoding: numbered.text, as: UTF8.self)
        guard let definition = try? Definition.read(text),
            let catalogue = try? Catalogue([
                KindDeclaration(model: name, definition, number: UInt64(numbered.number))
            ]), let schema = catalogue.kinds.first
        else { throw .failed("definition \(numbered.number) of \(name) is of another language") }
        program = definition.program
        plan = CataloguePlan(catalogue)
        self.schema = schema
    }

    /// Returns the definitions that have a store, in the order of their names.
    ///
    /// - Throws: the error of reading the log or the folder; `.failed` for a definition of another language.
    static func all(_ directory: DataDirectory, _ log: any EventLogReading) throws(StorageError) -> [StoredDefinition] {
        guard Folder.exists(directory.ownPath) else { return [] }
        let folders = Set(try Folder.names(in: directory.ownPath))
        guard !folders.isEmpty else { return [] }
        var found: [StoredDefinition] = []
        for (name, model) in try defined(log) {
            for definition in [model.active, model.awaited].compactMap({ $0 })
            where folders.contains("\(name).\(definition.number)") {
                found.append(try StoredDefinition(name, definition))
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
