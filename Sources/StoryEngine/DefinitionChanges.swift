package import StoryCore

/// The changes of the definitions of models by events that may not be durable yet.
///
/// Nothing may be shown by a definition before the event from which on it answers is durable. Until then requests about
/// definitions wait, and so do the subscriptions to rows of kinds that were replaced or removed.
package struct DefinitionChanges {
    /// The last event that changed a definition.
    package private(set) var position = Position.zero
    /// The kinds that the catalogue lacks, and whose subscriptions are held.
    private(set) var removed: [Kind: KindSchema] = [:]

    /// Notes an event that changes a definition.
    mutating func changed(at position: Position) { self.position = position }

    /// Notes that another catalogue follows one.
    mutating func replaced(_ old: Catalogue, by new: Catalogue) {
        for schema in old.kinds where new.schema(of: schema.kind) == nil { removed[schema.kind] = schema }
    }

    /// Notes that events after a position were undone.
    mutating func rolledBack(to head: Position) { position = min(position, head) }

    /// Takes the removed kinds, unless the change may be undone.
    ///
    /// - Parameter isAwaited: returns true for a model whose definition is about to be served again.
    mutating func settle(
        durable: Position, _ isAwaited: (KindSchema) throws(StorageError) -> Bool
    ) throws(StorageError) -> [Kind: KindSchema] {
        var settled: [Kind: KindSchema] = [:]
        guard position <= durable else { return settled }
        for (kind, schema) in removed where try !isAwaited(schema) { settled[kind] = schema }
        for kind in settled.keys { removed[kind] = nil }
        return settled
    }
}
