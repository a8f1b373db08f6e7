import StoryCore
import StoryEngine
import StoryFold
import StoryLog
import StoryStorage
import StoryWire

/// The parts of the daemon that declared models use.
struct ModelParts {
    let log: any EventLog
    /// The declared models as the log has them.
    let definitions: DefinitionTable
    /// The row changes of folded events.
    let feed: ChangeFeed
    let limits: Limits
    /// True where the definitions are compared with those of a source.
    let isReplica: Bool
    /// Returns true while a subscription follows rows.
    let isFollowed: () -> Bool
    let modelFolders: any ModelFolders
    let trace: Trace
    /// The log where it is stored, so that a thread can read it; nil for one in memory.
    let stored: LMDBEventLog?
    let starter: JobStarter
    /// Returns freed memory to the system; on any thread.
    let returnFreedPages: @Sendable () -> Void
    /// Makes a reader of events for one definition.
    let events: () -> any EventReading
    /// Monotonic time in nanoseconds.
    let clock: () -> UInt64
    /// Returns the machine that stores a store.
    let checkpoints: (any ServedModels) -> Checkpoints
}

extension ModelParts {
    /// Returns a definition with its store, from the events that the store has.
    ///
    /// - Throws: `.failed` for a text of another language; otherwise the error of the store.
    func definition(
        _ name: String, _ numbered: DeclaredModel.Numbered
    ) throws(StorageError) -> ServedDefinition {
        let compiled = try CompiledDefinition(name, numbered)
        let folder = ModelFolder(model: name, number: numbered.number, tables: compiled.schema.tables)
        var store = try modelFolders.open(folder)
        // A store that is folded up to nothing may have a part of the rows of another definition.
        if let found = store, found.checkpointed > log.head || found.checkpointed == .zero {
            modelFolders.close(found)
            store = nil
        }
        let opened = if let store { store } else { try modelFolders.create(folder) }
        return try ServedDefinition(
            compiled, folder, store: opened, checkpoints: checkpoints(opened), events: events(),
            activations: isReplica ? JSONObjectReader() : nil)
    }
}
