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
    /// A search, and the key of the batch that it is for.
    private struct Searching: BitwiseCopyable {
        let index: Int
        var search: TreeSearch
    }

    private let values = UnsafeMutablePointer<UnsafeRawBufferPointer?>.allocate(capacity: KeyBatch.capacity)
    private let searches = UnsafeMutablePointer<Searching>.allocate(capacity: KeyBatch.capacity)

    deinit {
        values.deallocate()
        searches.deallocate()
    }

    /// The value at a key of the batch; nil where there is none.
    func value(_ index: Int) -> UnsafeRawBufferPointer? { values[index] }

    /// Finds what lies at each key.
    ///
    /// - Parameters:
    ///   - newest: what was changed since the tables were stored, the newer one first.
    ///   - other: looks a key of a table up that has no tree.
    /// - Throws: what reading failed with.
    mutating func find(
        _ keys: borrowing KeyBatch, _ newest: BufferSet, _ newer: Unmanaged<BufferSet>?, _ trees: StoredTrees,
        _ other: (UInt8, UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer?
    ) throws(StorageError) {
        newest.expect(keys)
        var count = 0
        for index in 0..<keys.count {
            let (table, key) = (keys.table(index), keys.key(index))
            if let known = newest.known(table, key, hash: keys.hash(index), before: newer) {
                values[index] = known
            } else if let tree = trees[table] {
                searches[count] = Searching(index: index, search: try TreeSearch(key, in: tree))
                count += 1
            } else {
                values[index] = try other(table, key)
            }
        }
        try finish(count)
    }

    /// Takes the steps of all searches in turns, so that they wait for memory at the same time.
    private func finish(_ count: Int) throws(StorageError) {
        var left = count
        while left > 0 {
            var place = 0
            while place < left {
                if try searches[place].search.step() {
                    place += 1
                } else {
                    values[searches[place].index] = searches[place].search.value
                    left -= 1
                    searches[place] = searches[left]
                }
            }
        }
    }
}

extension BufferSet {
    /// What is known of a key; nil where neither these buffers nor the older ones know it.
    @inline(__always)
    func known(
        _ table: UInt8, _ key: UnsafeRawBufferPointer, hash: UInt32, before older: Unmanaged<BufferSet>?
    ) -> UnsafeRawBufferPointer?? {
        switch find(table, key, hash: hash) {
        case .value(let value): return .some(value)
        case .removed: return .some(nil)
        case .absent: break
        }
        switch older?._withUnsafeGuaranteedRef({ $0.find(table, key, hash: hash) }) ?? .absent {
        case .value(let value): return .some(value)
        case .removed: return .some(nil)
        case .absent: return nil
        }
    }
}
