import StoryCore
import StoryEngine
import StoryFold
import StoryWire

extension DeclaredModels.Parts {
    /// Returns a definition with its store, from the events that the store has.
    ///
    /// - Throws: `.failed` for a text of another language; otherwise the error of the store.
    func definition(
        _ name: String, _ numbered: DeclaredModel.Numbered
    ) throws(StorageError) -> ServedDefinition {
        let compiled = try CompiledDefinition(name, numbered)
        let folder = ModelFolder(model: name, number: numbered.number, tables: compiled.schema.tables)
        var store = try shelf.open(folder)
        // A store that is folded up to nothing may have a part of the rows of another definition.
        if let found = store, found.checkpointed > log.head || found.checkpointed == .zero {
            shelf.close(found)
            store = nil
        }
        let opened = if let store { store } else { try shelf.create(folder) }
        return try ServedDefinition(
            compiled, folder, store: opened, checkpoints: checkpoints(opened), events: events(),
            activations: isReplica ? JSONObjectReader() : nil)
    }
}

extension DeclaredModels {
    /// A change of the definitions that answer.
    struct Change {
        /// The catalogue with the kinds of the definitions.
        let plan: CataloguePlan
        /// Those kinds.
        let declared: [Kind: DeclaredKind]
    }
}

extension DeclaredModels.Change {
    /// Creates the change to the definitions that answer now; nil where they contradict one another.
    ///
    /// - Parameters:
    ///   - definitions: in the order of their names.
    ///   - retired: the definitions that answer no more.
    ///   - parts: the parts of the daemon.
    ///   - events: the reader of events that the loop has for all definitions.
    init?(
        to definitions: [ServedDefinition], retired: [ServedDefinition], _ parts: DeclaredModels.Parts,
        _ events: any EventReading
    ) {
        let old = parts.engine.catalogue
        let kept = Set(definitions.compactMap(\.kind))
        let removed = old.kinds.filter { $0.program != nil && !kept.contains($0.kind) }
        let added = definitions.filter { $0.kind == nil }
        let next: Catalogue
        do throws(SchemaError) {
            next = try old.replaced(removing: removed.map(\.kind), adding: added.map(\.compiled.declaration))
        } catch {
            parts.trace.say("not-served", ["reason": "\(error)"])
            return nil
        }
        plan = CataloguePlan(next)
        var declared: [Kind: DeclaredKind] = [:]
        for definition in definitions {
            guard let schema = next.kinds.first(where: { $0.name == definition.name }) else { continue }
            declared[schema.kind] = DeclaredKind(
                store: definition.store, definition: definition.compiled.definition, events: events,
                reader: parts.events)
            definition.begins(schema.kind, in: plan, parts.engine.feed, events)
        }
        self.declared = declared
        for definition in retired { definition.ends() }
    }
}
