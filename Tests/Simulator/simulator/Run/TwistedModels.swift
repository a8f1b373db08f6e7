import StoryCore
import StoryFold
import StoryStore
import StoryServer
import StoryStorage

/// The models, with what a run wants of them: a planted bug, or checkpoints in small pieces.
final class TwistedModels: ServedModels {
    private let models: LMDBModelStore
    private let bug: PlantedBug?
    private let entries: TwistedEntries
    private var views: [any TableView] = []
    /// How many pages one commit of a checkpoint changes; nil: as many as the daemon's.
    private let pages: Int?

    init(_ models: LMDBModelStore, _ bug: PlantedBug?, pages: Int?) {
        (self.models, self.bug, self.pages) = (models, bug, pages)
        entries = TwistedEntries(models, bug)
    }

    var checkpointed: Position { models.checkpointed }
    var failure: StorageError? { models.failure }
    var damage: StorageError? { models.damage }
    var bufferedBytes: Int { models.bufferedBytes }
    var storedBytes: Int { models.storedBytes }
    func beginStoring(at position: Position) -> StoringWork {
        var position = position
        if bug == .checkpointIsStampedEarly, position.value > 1 { position = Position(position.value - 1) }
        guard let pages else { return models.beginStoring(at: position) }
        let checkpoint = models.freeze(at: position)
        return { () throws(StorageError) in try checkpoint.run(pages: pages) }
    }
    func finish() throws(StorageError) { try models.finish() }
    func fail() { models.fail() }
    var isStopped: Bool { models.isStopped }
    func recover() throws(StorageError) -> Bool { try models.recover() }
    /// What is undone is still there.
    func discard() { if bug != .rollBackKeepsRows { models.discard() } }
    func clearStaleReaders() { models.clearStaleReaders() }
    func releaseMemory() { models.releaseMemory() }
    func reopen() throws(StorageError) { try models.reopen() }
    func limitCommits(toPages count: Int) { models.limitCommits(toPages: count) }
    func turnEnded() { models.turnEnded() }
    var scrub: PageScrub? { models.scrub }
    func suspect(_ damage: StorageError) { models.suspect(damage) }
    func prepare(_ staged: StagedTables, copying count: Int) -> Bool {
        bug == nil ? models.prepare(staged, copying: count) : true
    }
    func join(_ staged: StagedTables) throws(StorageError) {
        if bug == nil { models.join(staged) } else { try staged.write(to: self) }
    }
    func view() throws(StorageError) -> any TableView {
        let view = try models.view()
        views.append(view)
        return view
    }

    /// Closes what a process that is gone had viewed.
    func closeViews() { for view in views { view.close() } }

    func put(_ value: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) {
        entries.put(value, in: table, at: key)
    }
    func remove(in table: UInt8, at key: UnsafeRawBufferPointer) { entries.remove(in: table, at: key) }
    func add(_ change: Int64, in table: UInt8, at key: UnsafeRawBufferPointer) throws(StorageError) {
        try entries.add(change, in: table, at: key)
    }
    func write(_ batch: borrowing WriteBatch) throws(StorageError) {
        if bug == nil { try models.write(batch) } else { try entries.take(batch) }
    }
    func append(
        _ bytes: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer
    ) throws(StorageError) -> Int {
        try entries.append(bytes, in: table, at: key)
    }
    func withValue(
        _ table: UInt8, at key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(StorageError) -> Bool { try models.withValue(table, at: key, body) }
    func withProvenValue(
        _ table: UInt8, at key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(StorageError) -> Bool {
        guard bug != .usedPagesAreTrusted else { return try models.withValue(table, at: key, body) }
        return try models.withProvenValue(table, at: key, body)
    }
    func walk(
        _ table: UInt8, _ range: KeyBounds, _ order: Order, isProving: Bool,
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) {
        try models.walk(table, range, order, isProving: isProving && bug != .usedPagesAreTrusted, visit)
    }
}

/// Entries on their way into the models, with a planted bug.
private final class TwistedEntries: TableWriting {
    private let models: LMDBModelStore
    private let bug: PlantedBug?
    private var batches = 0
    /// What waits for the next one to go first.
    private var held: (bytes: [UInt8], key: [UInt8])?

    init(_ models: LMDBModelStore, _ bug: PlantedBug?) { (self.models, self.bug) = (models, bug) }

    func put(_ value: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) {
        if bug == .keysAreForgotten, table == StreamTables.keys.number { return }
        if bug == .tagsAreForgotten, table == StreamTables.tagEvents.number { return }
        if bug == .movesAreForgotten, table == StreamTables.cursors.number,
            (try? models.withValue(table, at: key) { _ in }) == true
        {
            return
        }
        models.put(value, in: table, at: key)
    }

    func remove(in table: UInt8, at key: UnsafeRawBufferPointer) {
        if bug != .removalsAreForgotten { models.remove(in: table, at: key) }
    }

    func add(_ change: Int64, in table: UInt8, at key: UnsafeRawBufferPointer) throws(StorageError) {
        if bug != .countsOnlyGrow || change > 0 { try models.add(change, in: table, at: key) }
    }

    func take(_ batch: borrowing WriteBatch) throws(StorageError) {
        batches += 1
        if bug != .changesAreLost || batches % 8 != 0 { try write(batch) }
    }

    func append(
        _ bytes: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer
    ) throws(StorageError) -> Int {
        let isHeld = bug == .foldsChangePlaces && table == StreamTables.streamPositions.number
        if isHeld, held == nil {
            held = (Array(bytes), Array(key))
            return bytes.count
        }
        let size = try models.append(bytes, in: table, at: key)
        guard isHeld, let before = held.take() else { return size }
        try before.key.withBytes { (key) throws(StorageError) in
            try before.bytes.withBytes { (bytes) throws(StorageError) in
                _ = try models.append(bytes, in: table, at: key)
            }
        }
        return size
    }
}
