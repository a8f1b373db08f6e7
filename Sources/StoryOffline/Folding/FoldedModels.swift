import StoryCore
import StoryLog
import StoryFold
import StoryStore
import StoryStorage
import StoryWire

/// The models that a fold of the log in its order makes, as the daemon folds it.
final class FoldedModels: FoldedDigests {
    private let store: DigestingStore

    private init(_ store: DigestingStore) { self.store = store }

    /// Folds everything up to a position.
    ///
    /// - Parameter table: a table whose entries are kept even if otherwise only its digest would be.
    /// - Throws: the error of reading or folding the log.
    static func fold(
        _ log: any EventLogReading, _ plan: CataloguePlan, through: Position, keeping table: ModelTable? = nil,
        progress: (_ position: Position, _ of: Position) -> Void
    ) throws(StorageError) -> FoldedModels {
        let store = DigestingStore(plan.catalogue, keeping: table)
        let projector = ModelProjector(plan, store: store, json: JSONObjectReader())
        try projector.fold(log, from: Position(1), through: through) { progress($0, through) }
        return FoldedModels(store)
    }

    /// Folds everything into declared models, each up to a position of its own, in one pass over the log.
    ///
    /// - Parameter table: as in the other fold.
    /// - Throws: the error of reading or folding the log.
    static func fold(
        _ log: any EventLogReading, _ models: [(definition: CompiledDefinition, through: Position)],
        keeping table: ModelTable? = nil, progress: (_ position: Position, _ of: Position) -> Void = { _, _ in }
    ) throws(StorageError) -> [FoldedModels] {
        let folds = models.map { model in
            DefinitionFold(
                model.definition, into: DigestingStore(model.definition.plan.catalogue, keeping: table),
                through: model.through)
        }
        let last = models.map(\.through).max() ?? .zero
        try log.fold(from: Position(1), through: last, progress: { progress($0, last) }) {
            (record) throws(StorageError) in
            for fold in folds { try fold.fold(record) }
        }
        return folds.map { FoldedModels($0.store) }
    }

    func digest(of table: ModelTable) -> ModelDigest { store.digest(of: table) }

    /// Returns all entries of a table in order; nil when only its digest was kept.
    func entries(of table: ModelTable) -> [(key: [UInt8], value: [UInt8])]? { store.entries(of: table) }
}
