import StoryCore
import StoryLog
import StoryFold
import StoryStore
import StoryStorage
import StoryWire

/// The part of a replay that is of declared models: the log is folded once for all of them, in its order.
struct DeclaredReplay {
    let log: LMDBEventLog
    let options: Replay.Options

    /// Folds the models of the definitions that answer at a position.
    ///
    /// - Throws: the error of reading the log; `.failed` for a definition that cannot answer, where it is asked for alone.
    func fold(
        _ definitions: DefinitionTable, through: Position, _ progress: (_ position: Position, _ of: Position) -> Void
    ) throws(StorageError) -> [ReplayReport.ModelDigest] {
        let active = try definitions.active(beside: .standard)
        if let names = options.models, let reason = names.compactMap({ active.failed[$0] }).first {
            throw .failed(reason)
        }
        let models = active.definitions.filter(isAsked).map { ($0, through) }
        guard !models.isEmpty else { return [] }
        var entries: [ReplayReport.ModelDigest] = []
        for (model, folded) in zip(models, try FoldedModels.fold(log, models, progress: progress)) {
            entries.append(try entry(model.0, nil, folded, through: through))
        }
        return entries
    }

    /// Compares the stores of declared models, each at the position that it is folded up to.
    ///
    /// - Parameters:
    ///   - definitions: as they are at `through`.
    ///   - through: a position at or before the log's head.
    ///   - progress: receives the position that was reached, and the last one.
    /// - Throws: the error of reading the log or a store; `.corrupt` for a store that is no fold of the log.
    func compare(
        _ directory: DataDirectory, _ definitions: DefinitionTable, through: Position,
        _ progress: (_ position: Position, _ of: Position) -> Void
    ) throws(StorageError) -> [ReplayReport.ModelDigest] {
        try definitions.fold(log, from: through.next, through: log.head)
        var stores: [StoredDefinition] = []
        defer { for store in stores { store.snapshot.close() } }
        // Such a store is no fold of the log any more: a start takes it away.
        let erased = try log.erasure.categories(JSONObjectReader())
        for definition in try definitions.stored(in: directory)
        where isAsked(definition) && !definition.program.reads(anyOf: erased) {
            if let store = try StoredDefinition(definition, directory, log) { stores.append(store) }
        }
        guard !stores.isEmpty else { return [] }
        let folded = try FoldedModels.fold(
            log, stores.map { ($0.compiled, $0.snapshot.position) }, progress: progress)
        var entries: [ReplayReport.ModelDigest] = []
        for (store, folded) in zip(stores, folded) {
            entries.append(try entry(store.compiled, store.snapshot, folded, through: store.snapshot.position))
        }
        return entries
    }

    private func isAsked(_ definition: CompiledDefinition) -> Bool {
        options.models?.contains(definition.name) != false
    }

    private func entry(
        _ definition: CompiledDefinition, _ snapshot: ModelSnapshot?, _ folded: FoldedModels, through: Position
    ) throws(StorageError) -> ReplayReport.ModelDigest {
        let again = { (table: ModelTable?) throws(StorageError) in
            try FoldedModels.fold(log, [(definition, through)], keeping: table)[0]
        }
        return try ReplayComparison(definition.plan.catalogue, snapshot, folded, inOrder: again)
            .entry(definition.name, definition.schema.tables)
    }
}
