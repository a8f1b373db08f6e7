package import StoryFold
package import StoryCore
import StoryStorage

/// The read models: tables stored in LMDB, and in front of them the memtables of the writes since their checkpoint.
///
/// It belongs to one thread; only a `Checkpoint` runs on another.
package final class LMDBModelStore: TableStore {
    /// The position that the stored tables are folded up to.
    package internal(set) var checkpointed: Position
    /// The reason why stored models were discarded at opening; nil when they were not.
    package let renewal: String?
    /// The first read error other than damage, which the caller got as well; or why nothing can be read any more.
    package internal(set) var failure: StorageError?

    /// The name of the stored models, and the fold that they are.
    package let identity: ModelIdentity
    /// The environment that is served; it is replaced between two turns.
    package internal(set) var opened: ModelEnvironment
    /// False where the memory of memtables is given back after a checkpoint: there are many such stores, and most are idle.
    package var keepsMemory = true
    /// The approximate number of pages that one commit of a checkpoint changes; LMDB keeps the memory of as many.
    package var pagesOfCommit = Checkpoint.pages
    /// True while other models get the name of these; no checkpoint begins meanwhile.
    package var isBeingReplaced = false
    var snapshot: ReadTransaction?
    /// The B-trees of the stored tables in the snapshot.
    let trees: StoredTrees
    /// The active memtables: the writes since the last checkpoint began. Constant, to avoid a retain per event.
    let active = MemtableSet()
    /// The immutable memtables of a checkpoint that runs or failed.
    private var immutable: MemtableSet? { didSet { older = immutable.map(Unmanaged.passUnretained) } }
    /// The same, unretained, to avoid a retain and release on each look-up.
    private var older: Unmanaged<MemtableSet>?
    private var checkpoint: Checkpoint?
    private var spare: MemtableSet?
    /// The buffer for the value of a new count, and for a value that is appended to.
    private var scratch = KeyBuffer()
    private var lookups = InterleavedLookup()
    var prefetched = PrefetchedLookup()

    /// Opens the stored models at a path, as the initializer for a data directory does.
    package convenience init(
        at path: String, _ owner: ModelOwner, version: UInt32, mapSize: Int = EnvironmentOptions().mapSize,
        tables list: [ModelTable]
    ) throws(StorageError) {
        let identity = ModelIdentity(
            path: path, record: CheckpointRecord(version: version, position: .zero, storeID: owner.identity.id),
            tables: list, mapSize: mapSize)
        try identity.clean()
        try self.init(identity, ModelOpening.open(identity, owner))
    }

    /// Makes models beside those that are served, to be folded from the start.
    package convenience init(beside served: ModelIdentity) throws(StorageError) {
        let identity = served.beside
        let owner = ModelOwner(identity: StoredIdentity(id: identity.record.storeID, ancestors: []), head: .max)
        try Folder.retireEnvironment(identity.path)
        try self.init(identity, ModelOpening.open(identity, owner))
    }

    private init(_ identity: ModelIdentity, _ opened: ModelEnvironment) throws(StorageError) {
        self.identity = identity
        self.opened = opened
        renewal = opened.renewal
        checkpointed = opened.position
        let snapshot = try ReadTransaction(opened.environment)
        trees = StoredTrees(identity.tables)
        try snapshot.show(trees, opened)
        self.snapshot = consume snapshot
    }

    deinit { close() }

    // MARK: TableStore

    package func put(_ value: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) {
        active.change(table) { $0.put(value, at: key) }
    }

    package func remove(in table: UInt8, at key: UnsafeRawBufferPointer) { active.change(table) { $0.remove(key) } }

    package func add(_ change: Int64, in table: UInt8, at key: UnsafeRawBufferPointer) throws(StorageError) {
        try add(change, in: table, at: key, hash: Memtable.hash(key))
    }

    private func add(
        _ change: Int64, in table: UInt8, at key: UnsafeRawBufferPointer, hash: UInt32
    ) throws(StorageError) {
        // Most counts were changed a moment ago and are in the active memtable, where they need no further look-up.
        if active.change(table, { $0.add(change, at: key, hash: hash) }) { return }
        let old = try find(table, key)
        active.change(table) { $0.setCount(change, after: old, at: key, &scratch) }
    }

    package func write(_ batch: borrowing WriteBatch) throws(StorageError) {
        active.prefetch(batch)
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
    ) throws(StorageError) -> Int {
        if let size = active.change(table, { $0.append(bytes, at: key) }) { return size }
        scratch.set(try find(table, key) ?? .none)
        scratch.add(bytes)
        active.change(table) { $0.put(scratch.bytes, at: key) }
        return scratch.count
    }

    package func change(_ table: UInt8, at key: UnsafeRawBufferPointer, _ body: ValueChange) -> Bool {
        active.change(table) { $0.change(at: key, body) }
    }

    package func prefetch(_ table: UInt8, at key: UnsafeRawBufferPointer) {
        let hash = Memtable.hash(key)
        active.prefetch(table, hash)
        older?._withUnsafeGuaranteedRef { $0.prefetch(table, hash) }
        if let tree = trees[table] { prefetched.begin(table, key, in: tree) }
    }

    package func withValue(
        _ table: UInt8, at key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(StorageError) -> Bool { try find(table, key).map(body) != nil }

    package func withValues(
        at keys: borrowing KeyBatch, _ body: (_ index: Int, _ value: UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        do throws(StorageError) {
            try lookups.find(keys, active, older, trees) { (table, key) throws(StorageError) in try stored(table, key) }
        } catch {
            throw noted(error)
        }
        for index in 0..<keys.count { body(index, lookups.value(index)) }
    }

    package func walk(
        _ table: UInt8, _ bounds: KeyBounds, _ order: Order, isProving: Bool, _ visit: EntryVisit
    ) throws(StorageError) {
        let tree = try trees.any(table)
        let newest = MemtableWalk(active.filled(table), bounds, order)
        let newer = MemtableWalk(immutable?.filled(table), bounds, order)
        do throws(StorageError) {
            let isSet = opened.tables[table].isSet
            var stored = try StoredWalk(tree, isSet: isSet, bounds, order, isProving: isProving)
            if newest == nil, newer == nil {
                while let entry = stored.entry, visit(entry.key, entry.value) { try stored.advance() }
            } else {
                let isDescending = order == .descending
                var merged = ModelWalk(active: newest, immutable: newer, stored: stored, isDescending: isDescending)
                while let entry = try merged.next(), visit(entry.key, entry.value) {}
            }
        } catch {
            throw noted(error)
        }
    }

    // MARK: Checkpoints

    /// The number of entries that the next checkpoint would write.
    package var bufferedEntries: Int { active.count + (checkpoint == nil ? immutable?.count ?? 0 : 0) }
    /// The memory of those entries, in bytes.
    package var bufferedBytes: Int { active.bytes + (checkpoint == nil ? immutable?.bytes ?? 0 : 0) }
    /// True from `freeze` to `finish` or `fail`.
    package var isCheckpointing: Bool { checkpoint != nil }

    /// Freezes the active memtables, folded up to a position, for the checkpoint's `run` to write on another thread; only
    /// between two turns, once everything folded is committed in the log.
    package func freeze(at position: Position) -> Checkpoint {
        precondition(checkpoint == nil && !isBeingReplaced, "a second checkpoint at position \(position.value)")
        let buffers = takeBuffers()
        let fold = identity.record
        let record = CheckpointRecord(version: fold.version, position: position, storeID: fold.storeID)
        let made = Checkpoint(buffers, opened, record)
        immutable = buffers
        checkpoint = made
        return made
    }

    /// Ends a checkpoint whose `run` returned: reads its commit and drops the immutable memtables.
    package func finish() throws(StorageError) {
        guard let checkpoint else { preconditionFailure("finish without a checkpoint") }
        self.checkpoint = nil
        do throws(StorageError) {
            try renewSnapshot()
        } catch {
            // Without its tables, the store would find nothing.
            failure = failure ?? error
            throw error
        }
        checkpointed = checkpoint.position
        immutable = nil
        recycle(checkpoint.buffers)
    }

    /// Ends a checkpoint whose `run` threw: its entries stay visible, and the next checkpoint writes them as well.
    package func fail() {
        guard let checkpoint else { preconditionFailure("fail without a checkpoint") }
        self.checkpoint = nil
        if immutable == nil { recycle(checkpoint.buffers) }
    }

    /// Frees the memory that is kept for later writes, where none wait to be stored.
    package func releaseMemory() {
        guard checkpoint == nil, active.count == 0 else { return }
        spare = nil
        active.release()
    }

    /// Discards everything that is not stored, so that the log can be folded again from `checkpointed` on.
    package func discard() {
        active.clear()
        if let immutable, checkpoint == nil { recycle(immutable) }
        immutable = nil
    }

    /// Closes the models; no checkpoint may be running.
    package func close() {
        trees.clear()
        snapshot = nil
        opened.environment.close()
    }

    // MARK: Inside

    /// Returns the newest value of a key, from the memtables or the stored tables; valid until the next change.
    ///
    /// - Parameter isProving: true to compare the stored pages with their checksums, whenever that was done before.
    /// - Throws: any read error of the stored tables.
    func find(
        _ table: UInt8, _ key: UnsafeRawBufferPointer, isProving: Bool = false
    ) throws(StorageError) -> UnsafeRawBufferPointer? {
        if let known = active.known(table, key, hash: Memtable.hash(key), before: older) { return known }
        do throws(StorageError) {
            guard isProving else { return try stored(table, key) }
            if var search = prefetched.taken(table, key) { return try search.finish() }
            return try trees.any(table).value(at: key, isSet: trees[table] == nil, isProving: true)
        } catch {
            throw noted(error)
        }
    }

    /// Returns the stored value of a key.
    private func stored(
        _ table: UInt8, _ key: UnsafeRawBufferPointer
    ) throws(StorageError) -> UnsafeRawBufferPointer? {
        guard let tree = trees[table] else { return try trees.any(table).value(at: key, isSet: true) }
        guard var search = prefetched.taken(table, key) else { return try tree.value(at: key) }
        return try search.finish()
    }

    /// Moves the snapshot to the newest commit.
    private func renewSnapshot() throws(StorageError) {
        trees.clear()
        prefetched.forget()
        snapshot?.reset()
        try snapshot?.renew()
        try snapshot?.show(trees, opened)
    }

    private func noted(_ error: StorageError) -> StorageError {
        if case .corrupt = error { opened.checksums.keep(error) } else { failure = failure ?? error }
        return error
    }

    /// Takes the memtables to write: the active ones, merged into those that an earlier checkpoint failed to write.
    private func takeBuffers() -> MemtableSet {
        guard let held = immutable else {
            let taken = spare.take() ?? MemtableSet()
            taken.exchange(with: active)
            return taken
        }
        held.absorb(active)
        active.clear()
        return held
    }

    private func recycle(_ buffers: MemtableSet) {
        guard keepsMemory else { return }
        buffers.clear()
        spare = buffers
    }
}
