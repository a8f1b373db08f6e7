import StoryCore
import StoryFold
import StoryWire

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
