import StoryCore
import StoryEngine
import StoryFold

/// A change of the definitions that answer.
struct CatalogueChange {
    /// The catalogue with the kinds of the definitions.
    let plan: CataloguePlan
    /// Those kinds.
    let declared: [Kind: DeclaredKind]
}

extension CatalogueChange {
    /// Creates the change to the definitions that answer now; nil where they contradict one another.
    ///
    /// - Parameters:
    ///   - old: the catalogue that is served.
    ///   - definitions: in the order of their names.
    ///   - retired: the definitions that answer no more.
    ///   - parts: the parts of the daemon.
    ///   - events: the reader of events that the loop has for all definitions.
    init?(
        from old: Catalogue, to definitions: [ServedDefinition], retired: [ServedDefinition], _ parts: ModelParts,
        _ events: any EventReading
    ) {
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
            definition.begins(schema.kind, in: plan, parts.feed, events)
        }
        self.declared = declared
        for definition in retired { definition.ends() }
    }
}
