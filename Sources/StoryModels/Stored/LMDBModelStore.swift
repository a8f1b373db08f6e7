package import StoryCore
package import StoryStorage

/// The read models: stored tables, and in front of them what was folded since their checkpoint.
///
/// It belongs to one thread; only a `Checkpoint` runs on another.
package final class LMDBModelStore: TableStore {
    /// What the stored tables are a fold of.
    @exclusivity(unchecked) package private(set) var checkpointed: Position
    /// Why stored models were thrown away at opening; nil when they were not.
    package let renewal: String?
    /// The first failure of a reading: whoever asked was told, and the stored tables are suspect from then on.
    package private(set) var failure: StorageError?

    private let environment: Environment
    private let tables: ModelTables
    private let checksums: KeptChecksums
    private let identity: CheckpointRecord
    @exclusivity(unchecked) private var snapshot: ReadTransaction?
    /// The stored tables as they lie in the snapshot.
    private let trees: StoredTrees
    /// What was folded since the last checkpoint began. It is always the same set, so that no event counts references.
    private let active = BufferSet()
    /// What a checkpoint under way, or one that failed, holds.
    private var frozen: BufferSet? { didSet { older = frozen.map(Unmanaged.passUnretained) } }
    /// The same for whoever looks up, which counts no references.
    @exclusivity(unchecked) private var older: Unmanaged<BufferSet>?
    private var checkpoint: Checkpoint?
    private var spare: BufferSet?
    /// What a value that is made longer is put together in.
    @exclusivity(unchecked) private var scratch = KeyBuffer()
    @exclusivity(unchecked) private var lookups = Lookups()
    /// The key that was looked up last and is not stored. Whether a key is new is asked before its event is written, and
    /// again when that is folded: the second time nothing is searched.
    @exclusivity(unchecked) private var missing = KeptKey()
    @exclusivity(unchecked) private var expected = ExpectedKey()

    /// Opens the stored models. Those of another version, and those that hold more than this log and an ancestor share,
    /// are removed and folded from the start.
    ///
    /// - Parameters:
    ///   - ancestors: the logs that this one was copied from, with the last position that both have.
    ///   - head: the log's last event. Models that know more are opened, so that they can be refused.
    package init(
        in directory: DataDirectory, storeID: [UInt8], ancestors: [StoredIdentity.Ancestor] = [], head: Position = .max,
        version: UInt32, mapSize: Int = EnvironmentOptions().mapSize,
        tables list: [ModelTable] = Catalogue.standard.tables
    ) throws(StorageError) {
        precondition(directory.access != .reading, "Models that a daemon may hold are read through a ModelSnapshot.")
        let fresh = CheckpointRecord(version: version, position: .zero, storeID: storeID)
        let opened = try ModelOpening.open(
            directory.modelsPath, fresh,
            ModelOwner(identity: StoredIdentity(id: storeID, ancestors: ancestors), head: head), list,
            ModelTables.options(list, mapSize: mapSize))
        identity = fresh
        environment = opened.environment
        tables = opened.tables
        checksums = opened.checksums
        renewal = opened.renewal
        checkpointed = opened.position
        let snapshot = try ReadTransaction(opened.environment)
        trees = StoredTrees(list)
        try snapshot.show(trees, opened.environment)
        self.snapshot = consume snapshot
    }

    deinit { close() }

    /// Throws the stored models of a data directory away; nothing may have them open.
    package static func remove(in directory: DataDirectory) throws(StorageError) {
        try Folder.removeEnvironment(directory.modelsPath)
        CheckpointJournal(models: directory.modelsPath).remove()
        PageChecksums(models: directory.modelsPath).remove()
    }

    // MARK: TableStore

    package func put(_ value: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) {
        active.change(table) { $0.put(value, at: key) }
    }

    package func remove(in table: UInt8, at key: UnsafeRawBufferPointer) { active.change(table) { $0.remove(key) } }

    package func add(_ change: Int64, in table: UInt8, at key: UnsafeRawBufferPointer) throws(StorageError) {
        try add(change, in: table, at: key, hash: WriteBuffer.hash(key))
    }

    private func add(
        _ change: Int64, in table: UInt8, at key: UnsafeRawBufferPointer, hash: UInt32
    ) throws(StorageError) {
        // Most counts were changed a moment ago: then nothing has to be looked up further down.
        if active.change(table, { $0.add(change, at: key, hash: hash) }) { return }
        let old = try find(table, key)
        active.change(table) { $0.setCount(change, after: old, at: key, &scratch) }
    }

    package func write(_ batch: borrowing EntryBatch) throws(StorageError) {
        active.expect(batch)
        for index in 0..<batch.count {
            let entry = batch[index]
            let (key, hash) = (batch.bytes(entry.key), UInt32(truncatingIfNeeded: entry.hash))
            switch entry.action {
            case .put(let value): active.change(entry.table) { $0.put(value, at: key, hash: hash) }
            case .remove: active.change(entry.table) { $0.remove(key, hash: hash) }
            case .add(let change): try add(change, in: entry.table, at: key, hash: hash)
            }
        }
    }

    package func append(
        _ bytes: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer
    ) throws(StorageError) {
        if active.change(table, { $0.append(bytes, at: key) }) { return }
        scratch.set(try find(table, key) ?? .none)
        scratch.add(bytes)
        active.change(table) { $0.put(scratch.bytes, at: key) }
    }

    package func expect(_ table: UInt8, at key: UnsafeRawBufferPointer) {
        let hash = WriteBuffer.hash(key)
        active.expect(table, hash)
        older?._withUnsafeGuaranteedRef { $0.expect(table, hash) }
        if let tree = trees[table] { expected.begin(table, key, in: tree) }
    }

    package func withValue(
        _ table: UInt8, at key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(StorageError) -> Bool {
        guard let value = try find(table, key) else { return false }
        body(value)
        return true
    }

    package func withValues(
        at keys: borrowing KeyBatch, _ body: (_ index: Int, _ value: UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        do throws(StorageError) {
            try lookups.find(keys, active, older, trees) { (table, key) throws(StorageError) in
                try stored(table, key)
            }
        } catch {
            throw noted(error)
        }
        for index in 0..<keys.count { body(index, lookups.value(index)) }
    }

    package func walk(
        _ table: UInt8, _ range: KeyBounds, _ order: Order,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) {
        do throws(StorageError) { try merge(table, range, order) { visit($0.key, $0.value) } } catch {
            throw noted(error)
        }
    }

    // MARK: Checkpoints

    /// How many entries the next checkpoint would write.
    package var bufferedEntries: Int { active.count + (checkpoint == nil ? frozen?.count ?? 0 : 0) }
    /// The memory that they take, in bytes.
    package var bufferedBytes: Int { active.bytes + (checkpoint == nil ? frozen?.bytes ?? 0 : 0) }
    /// The bytes of the stored tables.
    package var storedBytes: Int { environment.usedBytes }
    /// Frees the slots of readers whose process died: a replay that was killed would keep pages from being used again.
    package func clearStaleReaders() { environment.clearStaleReaders() }

    /// - Throws: `.failed` where a file of the models was moved, removed or replaced.
    package func checkNames() throws(StorageError) { try environment.checkNames() }
    /// What holds every page of the stored tables against its checksum, on another thread.
    package func proof() -> ModelProof { ModelProof(environment, checksums) }
    /// True from `freeze` to `finish` or `fail`.
    package var isCheckpointing: Bool { checkpoint != nil }

    /// Sets aside what was folded up to a position, to be written by the checkpoint's `run` on another thread.
    ///
    /// Between two turns only: everything folded must be committed in the log.
    package func freeze(at position: Position) -> Checkpoint {
        precondition(checkpoint == nil, "One checkpoint at a time.")
        let buffers = takeBuffers()
        let record = CheckpointRecord(version: identity.version, position: position, storeID: identity.storeID)
        let made = Checkpoint(buffers, environment, tables, checksums, record)
        frozen = buffers
        checkpoint = made
        return made
    }

    /// The checkpoint's `run` came to its end.
    package func finish() throws(StorageError) {
        guard let checkpoint else { preconditionFailure("A checkpoint that is finished was begun.") }
        self.checkpoint = nil
        try renewSnapshot()
        checkpointed = checkpoint.position
        frozen = nil
        recycle(checkpoint.buffers)
    }

    /// The checkpoint's `run` threw: what it held stays visible, and the next one writes it as well.
    package func fail() {
        guard let checkpoint else { preconditionFailure("A checkpoint that failed was begun.") }
        self.checkpoint = nil
        if frozen == nil { recycle(checkpoint.buffers) }
    }

    /// Forgets everything that is not stored, so that the log can be folded again from `checkpointed` on.
    package func discard() {
        active.clear()
        if let frozen, checkpoint == nil { recycle(frozen) }
        frozen = nil
    }

    /// No checkpoint may be under way.
    package func close() {
        trees.clear()
        snapshot = nil
        environment.close()
    }

    // MARK: Inside

    /// The bytes at a key, wherever the newest of them lie; they die with the next change.
    ///
    /// - Throws: what reading the stored tables failed with.
    private func find(
        _ table: UInt8, _ key: UnsafeRawBufferPointer
    ) throws(StorageError) -> UnsafeRawBufferPointer? {
        if let known = active.known(table, key, hash: WriteBuffer.hash(key), before: older) { return known }
        if missing.matches(table, key) { return nil }
        do throws(StorageError) {
            if let value = try stored(table, key) { return value }
        } catch {
            throw noted(error)
        }
        missing.keep(table, key)
        return nil
    }

    /// The bytes at a key as they were stored.
    private func stored(
        _ table: UInt8, _ key: UnsafeRawBufferPointer
    ) throws(StorageError) -> UnsafeRawBufferPointer? {
        if let tree = trees[table] {
            guard var search = expected.taken(table, key) else { return try tree.value(at: key) }
            return try search.finish()
        }
        return try snapshot?.value(in: tables[table], at: key)
    }

    /// Looks at the newest commit from now on.
    private func renewSnapshot() throws(StorageError) {
        trees.clear()
        missing.forget()
        expected.forget()
        snapshot?.reset()
        try snapshot?.renew()
        try snapshot?.show(trees, environment)
    }

    /// Visits what is there now, until `visit` returns false.
    private func merge(
        _ table: UInt8, _ bounds: KeyBounds, _ order: Order, _ visit: (LMDBEntry) -> Bool
    ) throws(StorageError) {
        let handle = snapshot?.handle
        guard let handle else { preconditionFailure("Models are not read after they were closed.") }
        let newest = BufferWalk(active.filled(table), bounds, order)
        let newer = BufferWalk(frozen?.filled(table), bounds, order)
        var stored = try StoredWalk(handle, tables[table], bounds, order)
        guard newest == nil, newer == nil else {
            var merged = ModelWalk(active: newest, frozen: newer, stored: stored, order)
            while let entry = try merged.next(), visit(entry) {}
            return
        }
        while let entry = stored.entry, visit(entry) { try stored.advance() }
    }

    private func noted(_ error: StorageError) -> StorageError {
        failure = failure ?? error
        return error
    }

    /// The buffers to be written: what was folded, after what an earlier checkpoint failed to write.
    private func takeBuffers() -> BufferSet {
        guard let held = frozen else {
            let taken = spare ?? BufferSet()
            spare = nil
            taken.exchange(with: active)
            return taken
        }
        held.absorb(active)
        active.clear()
        return held
    }

    private func recycle(_ buffers: BufferSet) {
        buffers.clear()
        spare = buffers
    }
}
