import StoryCore
import StoryEngine
import StoryLog
import StoryFold
import StoryStore
import StoryWire

/// The declared models of a log that answer at a position, folded into memory.
final class OfflineModels: DeclaredModelStates {
    /// One model with the fold of its rows.
    private typealias Model = DefinitionFold<MemoryModelStore>

    private let models: [Model]
    /// Why definitions that would answer cannot, by the names of their models.
    private let failed: [String: String]

    /// Folds the log into the models of the definitions that answer.
    ///
    /// - Parameters:
    ///   - definitions: as they are at the position.
    ///   - catalogue: the built-in kinds.
    ///   - progress: receives the last folded position.
    /// - Throws: the error of reading the log.
    init(
        _ definitions: DefinitionTable, beside catalogue: Catalogue, _ log: any EventLogReading,
        through last: Position,
        progress: (_ position: Position) -> Void
    ) throws(StorageError) {
        let active = try definitions.active(beside: catalogue)
        let models = active.definitions.map { Model($0, into: MemoryModelStore()) }
        (self.models, failed) = (models, active.failed)
        guard !models.isEmpty else { return }
        try log.fold(from: Position(1), through: last, progress: progress) { (record) throws(StorageError) in
            for model in models { try model.fold(record) }
        }
    }

    /// True where no definition answers.
    var isEmpty: Bool { models.isEmpty }

    /// Returns a catalogue with the kinds of the models as well, and these kinds by their numbers.
    ///
    /// - Throws: `.failed` where the definitions contradict one another.
    func catalogue(after catalogue: Catalogue) throws(StorageError) -> (Catalogue, [Kind: DeclaredKind]) {
        do throws(SchemaError) {
            let next = try catalogue.replaced(removing: [], adding: models.map(\.compiled.declaration))
            var kinds: [Kind: DeclaredKind] = [:]
            for model in models {
                guard let schema = next.kinds.first(where: { $0.name == model.compiled.name }) else { continue }
                kinds[schema.kind] = DeclaredKind(
                    store: model.store, definition: model.compiled.definition, events: ProgramEventReader(),
                    reader: { ProgramEventReader() })
            }
            return (next, kinds)
        } catch {
            throw .failed("\(error)")
        }
    }

    // MARK: DeclaredModelStates

    func state(of name: String) throws(StorageError) -> DeclaredModelState {
        var state = DeclaredModelState()
        state.reason = failed[name]
        guard let model = model(name) else { return state }
        state.isReady = true
        state.rows = try model.rowCount()
        state.misfits = try MisfitTable(model.store).total()
        state.bytes = UInt64(clamping: model.store.bytes)
        return state
    }

    func store(of name: String) -> (any TableStore)? { model(name)?.store }

    private func model(_ name: String) -> Model? { models.first { $0.compiled.name == name } }
}
