import StoryCore
import StoryFold
import StoryLog
import StoryServer
import StoryStorage
import StoryStore
import StoryWire
import TestSupport

extension DeclaredLoad {
    /// Holds the stores of an open directory, each as far as it is folded, against the log.
    ///
    /// - Returns: how many stores were compared.
    /// - Throws: the difference; the error of reading.
    @discardableResult
    static func check(_ store: OpenStore) throws -> Int {
        let table = DefinitionTable(MemoryModelStore(), json: JSONObjectReader())
        guard store.log.head > .zero else { return 0 }
        var failure: StorageError?
        try store.log.scan(from: Position(1), through: store.log.head, order: .ascending) { record in
            do throws(StorageError) { _ = try table.fold(record) } catch { failure = error }
            return failure == nil
        }
        if let failure { throw failure }
        let erased = try store.log.erasure.categories(JSONObjectReader())
        var count = 0
        for (name, model) in try table.defined() {
            for definition in [model.active, model.awaited].compactMap({ $0 }) {
                let text = String(decoding: definition.text, as: UTF8.self)
                // A start takes it away before anybody is shown its rows.
                if try Definition.read(text).program.reads(anyOf: erased) { continue }
                if try check(store, name, definition.number, text) {
                    count += 1
                }
            }
        }
        return count
    }

    private static func check(_ store: OpenStore, _ name: String, _ number: UInt32, _ text: String) throws -> Bool {
        let definition = try Definition.read(text)
        let declaration = KindDeclaration(model: name, definition, number: UInt64(number))
        let plan = CataloguePlan(try Catalogue([declaration]))
        let tables = plan[Kind(number: 0)].schema.tables
        let folder = ModelFolder(model: name, number: number, tables: tables)
        guard let stored = try store.modelFolders.open(folder) else { return false }
        defer { store.modelFolders.close(stored) }
        // It may have a part of its tables alone, and nobody uses it.
        guard stored.checkpointed > .zero, try !RowIndexing.isDeferred(in: stored) else { return false }
        let folded = MemoryModelStore()
        var fold = ModelFold(definition.program, plan[Kind(number: 0)], store: folded, events: ProgramEventReader())
        var failure: StorageError?
        try store.log.scan(from: Position(1), through: stored.checkpointed, order: .ascending) { record in
            do throws(StorageError) { try fold.fold(record) } catch { failure = error }
            return failure == nil
        }
        if let failure { throw failure }
        for table in tables {
            let expected = folded.entries(of: table)
            var (index, isSame) = (0, true)
            try stored.walk(table.number, .all, .ascending) { key, value in
                isSame =
                    index < expected.count && key.elementsEqual(expected[index].key)
                    && value.elementsEqual(expected[index].value)
                index += 1
                return isSame
            }
            guard isSame, index == expected.count else {
                let place = "\(table.name) of \(folder.name) at position \(stored.checkpointed.value), entry \(index)"
                throw Violation("\(place) is not the log, folded")
            }
        }
        return true
    }
}
