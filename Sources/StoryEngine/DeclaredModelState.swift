package import StoryCore
package import StoryFold

/// The declared models that are served and built, as requests see them.
package protocol DeclaredModelStates: AnyObject {
    /// Returns the state of a model that is defined.
    ///
    /// - Throws: the error of reading its tables.
    func state(of name: String) throws(StorageError) -> DeclaredModelState
    /// Returns the store of the definition that answers; nil while none does.
    func store(of name: String) -> (any TableStore)?
}

/// A declared model that is a kind of the catalogue.
package struct DeclaredKind {
    /// The store of its rows.
    package let store: any TableStore
    /// The definition with the program that makes them.
    package let definition: Definition
    /// The reader of the values that the program looks at.
    package let events: any EventReading
    /// Makes such a reader that nobody else uses.
    package let reader: () -> any EventReading

    /// Creates a declared kind.
    package init(
        store: any TableStore, definition: Definition, events: any EventReading,
        reader: @escaping () -> any EventReading
    ) {
        (self.store, self.definition, self.events, self.reader) = (store, definition, events, reader)
    }
}

/// The state of a declared model.
package struct DeclaredModelState: Equatable, Sendable {
    /// A definition that is being built.
    package struct Build: Equatable, Sendable {
        /// The number of the definition.
        package let definition: UInt32
        /// The position that it is folded up to.
        package let position: Position

        /// The number of rows that it has taken over from the definition that answers; nil where it folds.
        package let rowsTaken: UInt64?

        /// Creates a build.
        package init(definition: UInt32, position: Position, rowsTaken: UInt64? = nil) {
            self.definition = definition
            self.position = position
            self.rowsTaken = rowsTaken
        }
    }

    /// True while a definition answers.
    package var isReady = false
    /// The number of rows.
    package var rows: UInt64 = 0
    /// The number of events that did not fit.
    package var misfits: UInt64 = 0
    /// The size of the stored tables, in bytes.
    package var bytes: UInt64 = 0
    /// The build under way; nil where there is none.
    package var build: Build?
    /// The reason why the build waits or has failed; nil where it does not.
    package var reason: String?
    /// True where the reason does not go away by itself.
    package var hasFailed = false

    /// Creates the state of a model that is neither served nor built.
    package init() {}
}

/// The changes of the definitions of models by events that may not be durable yet.
///
/// Nothing may be shown by a definition before the event from which on it answers is durable. Until then requests about
/// definitions wait, and so do the subscriptions to rows of kinds that were replaced or removed.
struct DefinitionChanges {
    /// The last event that changed a definition.
    private(set) var position = Position.zero
    /// The last event that erases others, while rows with their content are there; zero: none.
    private(set) var erasure = Position.zero
    /// The kinds that the catalogue lacks, and whose subscriptions are held.
    private(set) var removed: [Kind: KindSchema] = [:]

    /// Notes an event that changes a definition.
    mutating func changed(at position: Position) { self.position = position }

    /// Notes an event that erases others.
    mutating func erases(at position: Position) { erasure = position }

    /// Notes that nobody reads content that events through a position erase.
    mutating func erasuresTaken(through position: Position) { if erasure <= position { erasure = .zero } }

    /// Notes that another catalogue follows one.
    mutating func replaced(_ old: Catalogue, by new: Catalogue) {
        for schema in old.kinds where new.schema(of: schema.kind) == nil { removed[schema.kind] = schema }
    }

    /// Notes that events after a position were undone.
    mutating func rolledBack(to head: Position) { (position, erasure) = (min(position, head), min(erasure, head)) }

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
