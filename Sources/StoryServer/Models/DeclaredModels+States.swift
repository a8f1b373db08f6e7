import StoryCore
import StoryEngine
import StoryFold
import StoryStorage
import StoryStore

extension DeclaredModels: DeclaredModelStates {
    func state(of name: String) throws(StorageError) -> DeclaredModelState {
        var state = DeclaredModelState()
        if let definition = served[name], definition.damage == nil {
            state.isReady = definition.kind != nil
            state.rows = try definition.rows()
            state.misfits = try definition.misfits()
            state.bytes = UInt64(clamping: definition.store.storedBytes + definition.store.bufferedBytes)
        }
        if let build = builds[name] {
            state.build = DeclaredModelState.Build(
                definition: build.folder.number, position: builds.position(of: build),
                rowsTaken: builds.rowsTaken(by: build))
        }
        state.reason = builds.reason(of: name)
        state.hasFailed = builds.hasFailed(name)
        return state
    }

    /// The conditions of the declared models.
    var conditions: Set<StoreCondition> {
        var found: Set<StoreCondition> = []
        if builds.isHindered { found.insert(.notBuilt) }
        if isContradictory { found.insert(.notServed) }
        return found
    }

    func store(of name: String) -> (any TableStore)? { served[name]?.store }
}

// MARK: Storing

extension DeclaredModels {
    /// The machines that store the definitions that answer.
    var checkpoints: [Checkpoints] { served.checkpoints }

    /// The machine that has most to store, where all together have enough for a checkpoint: they share its memory.
    var largest: Checkpoints? {
        guard bufferedBytes >= Checkpoints.bytes else { return nil }
        return checkpoints.max { $0.bufferedBytes < $1.bufferedBytes }
    }

    /// True while memory is full of events that checkpoints must store first, of one definition or of all.
    var holdsMuch: Bool {
        checkpoints.contains { $0.pressure != .none }
            || bufferedBytes >= Checkpoints.maxBytes && checkpoints.contains { $0.isStoring }
    }

    private var bufferedBytes: Int { checkpoints.reduce(0) { $0 + $1.bufferedBytes } }

    /// The comparisons of the stored pages of all definitions.
    var scrubs: [PageScrub] { all.compactMap(\.store.scrub) }

    /// The machines that store any definition.
    var allCheckpoints: [Checkpoints] { all.map(\.checkpoints) }

    /// The number of pages whose memory the commits of all definitions may keep together, and those of one at least.
    private static let (keptPages, leastPages) = (4_096, 64)

    /// Counts a tick of 0.1 s: definitions that got no events free their memory, and the more there are, the fewer pages a
    /// commit of one has.
    func ticked(_ tick: UInt64) {
        let pages = min(DeclaredModels.keptPages / max(all.count, 1), Checkpoint.pages)
        for definition in all {
            definition.checkpoints.ticked(tick)
            definition.checkpoints.releaseMemory()
            definition.store.limitCommits(toPages: max(pages, DeclaredModels.leastPages))
        }
    }

    /// Returns the bytes of memtables that were stored and freed since the last call.
    func takeFreedBytes() -> Int { all.reduce(0) { $0 + $1.checkpoints.takeFreedBytes() } }

    /// Stores everything and closes the stores, after the loop has ended.
    ///
    /// - Parameter position: the last event, which the log is flushed through; nil where nothing may be stored.
    func end(at position: Position?) {
        builds.end()
        served.noteGiven()
        for definition in all {
            definition.checkpoints.wait()
            if let position, definition.damage == nil, definition.folded <= position, definition.indexes != .partial {
                definition.checkpoints.end(at: definition.folded)
            }
            parts.modelFolders.close(definition.store)
        }
    }
}
