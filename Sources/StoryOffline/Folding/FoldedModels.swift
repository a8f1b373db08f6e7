import StoryCore
import StoryFold
import StoryLog
import StoryStorage
import StoryStore
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

/// A fold of events into the tables of one definition of a declared model.
final class DefinitionFold<Store: TableStore> {
    let compiled: CompiledDefinition
    let store: Store
    /// The last event to fold.
    private let last: Position
    private var fold: ModelFold

    /// Creates a fold without events.
    init(_ compiled: CompiledDefinition, into store: Store, through last: Position = .max) {
        (self.compiled, self.store, self.last) = (compiled, store, last)
        fold = ModelFold(compiled.program, compiled.rows, store: store, events: ProgramEventReader())
    }

    /// Folds the next event, unless it is behind the last one.
    ///
    /// - Throws: a damaged row.
    func fold(_ record: EventRecord) throws(StorageError) {
        if record.position <= last { try fold.fold(record) }
    }

    /// Returns the number of rows.
    ///
    /// - Throws: the error of reading the store.
    func rowCount() throws(StorageError) -> UInt64 { try fold.rowCount() }
}
