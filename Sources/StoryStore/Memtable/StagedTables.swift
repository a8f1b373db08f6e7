package import StoryCore
package import StoryFold

/// The memtables of a long fold, in front of the store that they join when it is whole: until then only the fold sees them.
///
/// To give the fold up is to drop them. The store must not be written to meanwhile.
package final class StagedTables: TableStore {
    private let base: any TableStore
    let buffers = MemtableSet()
    /// The buffer for the value of a new count, and for a value that is appended to.
    private var scratch = KeyBuffer()
    /// The table and the entry of the store's own memtables that is copied next.
    var copied: (table: Int, entry: Int) = (0, 0)
    /// True once the newest entries of the store's memtables are here as well.
    var isWhole = false

    /// Creates empty memtables in front of a store.
    package init(_ base: any TableStore) { self.base = base }

    /// The memory of the entries, in bytes.
    package var bytes: Int { buffers.bytes }
    /// The number of entries, tombstones included.
    package var count: Int { buffers.count }
    package var checkpointed: Position { base.checkpointed }

    /// The number of entries of a table, tombstones included.
    package func count(of table: UInt8) -> Int { buffers.filled(table)?.count ?? 0 }

    /// Calls `body` with an entry of a table by its number, in the order of the first writes; the value of a tombstone is
    /// nil. The bytes are valid until the table is written to.
    package func withEntry<Result>(
        _ index: Int, of table: UInt8,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer?) -> Result
    ) -> Result? { buffers.filled(table).map { body($0.key(index), $0.value(index)) } }

    /// Moves all entries to a store, by one call each.
    ///
    /// - Throws: any error of the store.
    package func write(to store: any TableStore) throws(StorageError) {
        for table in UInt8.min...UInt8.max {
            guard let buffer = buffers.filled(table) else { continue }
            for index in 0..<buffer.count {
                if let value = buffer.value(index) {
                    try store.put(value, in: table, at: buffer.key(index))
                } else {
                    try store.remove(in: table, at: buffer.key(index))
                }
            }
        }
    }

    // MARK: TableStore

    package func put(_ value: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) {
        buffers.change(table) { $0.put(value, at: key) }
    }

    package func remove(in table: UInt8, at key: UnsafeRawBufferPointer) { buffers.change(table) { $0.remove(key) } }

    package func add(_ change: Int64, in table: UInt8, at key: UnsafeRawBufferPointer) throws(StorageError) {
        if buffers.change(table, { $0.add(change, at: key, hash: Memtable.hash(key)) }) { return }
        scratch.clear()
        let isThere = try withValue(table, at: key) { scratch.add($0) }
        var value = KeyBuffer()
        let old = isThere ? scratch.bytes : nil
        buffers.change(table) { $0.setCount(change, after: old, at: key, &value) }
    }

    package func append(
        _ bytes: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer
    ) throws(StorageError) -> Int {
        if let size = buffers.change(table, { $0.append(bytes, at: key) }) { return size }
        scratch.clear()
        _ = try withValue(table, at: key) { scratch.add($0) }
        scratch.add(bytes)
        buffers.change(table) { $0.put(scratch.bytes, at: key) }
        return scratch.count
    }

    package func change(_ table: UInt8, at key: UnsafeRawBufferPointer, _ body: ValueChange) -> Bool {
        buffers.change(table) { $0.change(at: key, body) }
    }

    package func withValue(
        _ table: UInt8, at key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(StorageError) -> Bool {
        if let known = buffers.find(table, key, hash: Memtable.hash(key)) { return known.map(body) != nil }
        return try base.withValue(table, at: key, body)
    }

    package func walk(
        _ table: UInt8, _ range: KeyBounds, _ order: Order, isProving: Bool,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) {
        guard var staged = MemtableWalk(buffers.filled(table), range, order) else {
            return try base.walk(table, range, order, isProving: isProving, visit)
        }
        var isOver = false
        /// Visits the staged entries before a key; nil: all that are left.
        func visitStaged(before key: UnsafeRawBufferPointer?) {
            while !isOver, let next = staged.key {
                if let key {
                    let comparison = next.compare(key)
                    guard order == .ascending ? comparison < 0 : comparison > 0 else { return }
                }
                if let value = staged.value, !visit(next, value) { isOver = true }
                staged.advance()
            }
        }
        try base.walk(table, range, order, isProving: isProving) { key, value in
            visitStaged(before: key)
            guard !isOver else { return false }
            var newest: UnsafeRawBufferPointer? = value
            if let next = staged.key, next.equals(key) {
                newest = staged.value
                staged.advance()
            }
            if let newest, !visit(key, newest) { isOver = true }
            return !isOver
        }
        visitStaged(before: nil)
    }
}

extension LMDBModelStore {
    /// Copies some of the newest entries into staged memtables that lack them, so that these can replace the active
    /// ones; nothing may be written meanwhile.
    ///
    /// - Returns: true where all are there, or the staged memtables are small enough to be copied themselves.
    package func prepare(_ staged: StagedTables, copying count: Int) -> Bool {
        guard !staged.isWhole, staged.count > count else { return true }
        staged.isWhole = staged.buffers.complete(from: active, at: &staged.copied, atMost: count)
        return staged.isWhole
    }

    /// Joins staged memtables, whose entries are the newest from now on.
    package func join(_ staged: StagedTables) {
        if staged.isWhole { active.exchange(with: staged.buffers) } else { active.absorb(staged.buffers) }
    }
}
