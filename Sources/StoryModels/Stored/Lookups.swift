import StoryCore
import StoryStorage

/// The stored tables of one view as they lie in the map, by their numbers; sets have none here.
final class StoredTrees {
    private static let size = 256

    private let tables: [ModelTable]
    private let trees = UnsafeMutablePointer<StoredTree?>.allocate(capacity: size)

    init(_ tables: [ModelTable]) {
        self.tables = tables.filter { !$0.isSet }
        trees.initialize(repeating: nil, count: StoredTrees.size)
    }

    deinit { trees.deallocate() }

    @inline(__always)
    subscript(table: UInt8) -> StoredTree? { trees[Int(table)] }

    /// The view that they are of ends.
    func clear() { trees.update(repeating: nil, count: StoredTrees.size) }

    /// - Throws: what reading failed with.
    fileprivate func look(
        at transaction: borrowing ReadTransaction, _ environment: Environment
    ) throws(StorageError) {
        for table in tables { trees[Int(table.number)] = try transaction.tree(of: table.name, in: environment) }
    }
}

extension ReadTransaction {
    /// Has the tables be looked up in this view.
    ///
    /// - Throws: what reading failed with.
    borrowing func show(_ trees: StoredTrees, _ environment: Environment) throws(StorageError) {
        try trees.look(at: self, environment)
    }
}

/// What a batch of keys leads to: first in memory, then side by side in the stored trees.
struct Lookups: ~Copyable {
    /// What is known of a key.
    private enum State: BitwiseCopyable {
        /// Nothing lies at it, or these bytes do.
        case known(UnsafeRawBufferPointer?)
        case searching(TreeSearch)
    }

    private let states = UnsafeMutablePointer<State>.allocate(capacity: KeyBatch.capacity)

    deinit { states.deallocate() }

    /// The value at a key of the batch; nil where there is none.
    func value(_ index: Int) -> UnsafeRawBufferPointer? {
        guard case .known(let value) = states[index] else { return nil }
        return value
    }

    /// Finds what lies at each key.
    ///
    /// - Parameters:
    ///   - newest: what was changed since the tables were stored, the newer one first.
    ///   - other: looks a key of a table up that has no tree.
    /// - Throws: what reading failed with.
    mutating func find(
        _ keys: borrowing KeyBatch, _ newest: BufferSet, _ newer: BufferSet?, _ trees: StoredTrees,
        _ other: (UInt8, UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer?
    ) throws(StorageError) {
        newest.expect(keys)
        for index in 0..<keys.count {
            let (table, key) = (keys.table(index), keys.key(index))
            if let known = newest.known(table, key, hash: keys.hash(index), before: newer) {
                states[index] = .known(known)
            } else if let tree = trees[table] {
                states[index] = .searching(try TreeSearch(key, in: tree))
            } else {
                states[index] = .known(try other(table, key))
            }
        }
        try search(keys.count)
    }

    /// Takes the steps of all searches in turns.
    private func search(_ count: Int) throws(StorageError) {
        repeat {
            for index in 0..<count {
                if case .searching(let search) = states[index] { try search.askForKeys() }
            }
        } while try descend(count)
        for index in 0..<count {
            if case .searching(let search) = states[index] { states[index] = .known(try search.value()) }
        }
    }

    /// Goes one page down where there is one; false where no search has any left.
    private func descend(_ count: Int) throws(StorageError) -> Bool {
        var hasGone = false
        for index in 0..<count {
            guard case .searching(var search) = states[index], !search.isAtLeaf else { continue }
            try search.descend()
            states[index] = .searching(search)
            hasGone = true
        }
        return hasGone
    }
}

extension BufferSet {
    /// What is known of a key; nil where neither these buffers nor the older ones know it.
    @inline(__always)
    func known(
        _ table: UInt8, _ key: UnsafeRawBufferPointer, hash: UInt32, before older: BufferSet?
    ) -> UnsafeRawBufferPointer?? {
        switch find(table, key, hash: hash) {
        case .value(let value): return .some(value)
        case .removed: return .some(nil)
        case .absent: break
        }
        switch older?.find(table, key, hash: hash) ?? .absent {
        case .value(let value): return .some(value)
        case .removed: return .some(nil)
        case .absent: return nil
        }
    }
}
