package import StoryCore

/// Changes of some keys of a stored tree, whose pages are compared with their checksums before LMDB makes the changes.
///
/// LMDB trusts every number on a page. To put a value it reads the pages from the root to its key, and the value that is
/// there. After a removal it may read a leaf page beside that of the key, and merge the two; then the pages between the
/// root and that leaf page are those that it may merge as well. A merged page is merged again by later removals at most:
/// so as many pages are in question on each side as there are removals.
package struct TreeChanges {
    private let tree: StoredTree
    /// The number of the keys.
    private let count: Int
    private let key: (_ index: Int) -> UnsafeRawBufferPointer

    /// - Parameter key: returns the keys in their order, by their index.
    package init(of count: Int, in tree: StoredTree, key: @escaping (_ index: Int) -> UnsafeRawBufferPointer) {
        (self.tree, self.count, self.key) = (tree, count, key)
    }

    /// Compares the pages from the root to each key, and those of the value there, as they are now.
    ///
    /// - Throws: `.corrupt` when a page is not as it was written; so do the others.
    package func provePaths() throws(StorageError) {
        var cursor = TreeCursor(tree, isProving: true)
        var index = 0
        while index < count, try cursor.seek(atOrBefore: key(index)) != nil {
            index += 1
            if let last = try cursor.lastKeyOfPage() { index = end(from: index) { $0.compare(last) <= 0 } }
        }
    }

    /// Compares the pages from the root to the last entry at or before each key, and those of its value: in a set that is the
    /// block that has the key.
    ///
    /// - Parameter keysOfChange: the number of keys of one block that are changed at once.
    /// - Returns: the index of a key for each change of a block, which may be removed and written under another key.
    package func proveBlocks(keysOfChange: Int) throws(StorageError) -> [Int] {
        var cursor = TreeCursor(tree, isProving: true)
        var (index, changes) = (0, [Int]())
        while index < count, try cursor.seek(atOrBefore: key(index)) != nil {
            let next = try cursor.next()
            let end = next.map { next in self.end(from: index + 1) { $0.compare(next.key) < 0 } } ?? count
            changes += stride(from: index, to: end, by: keysOfChange)
            index = end
        }
        return changes
    }

    /// Returns the index of the first key from an index on for which a condition does not hold; it holds for all keys before
    /// some key.
    private func end(from start: Int, while isBefore: (UnsafeRawBufferPointer) -> Bool) -> Int {
        var (low, step) = (start, 1)
        // The keys are scattered in memory: a look at each costs more than a search.
        while low + step <= count, isBefore(key(low + step - 1)) { (low, step) = (low + step, 2 * step) }
        var high = min(low + step - 1, count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(key(middle)) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Compares the pages that LMDB may merge with those of keys that are removed.
    ///
    /// - Parameter removed: the indices of these keys, in their order.
    package func proveNeighbours(of removed: some RandomAccessCollection<Int>) throws(StorageError) {
        try proveNeighbours(of: removed, isForward: true)
        try proveNeighbours(of: removed.reversed(), isForward: false)
    }

    private func proveNeighbours(
        of removed: some RandomAccessCollection<Int>, isForward: Bool
    ) throws(StorageError) {
        var left = removed[...]
        var cursor = TreeCursor(tree, isProving: true)
        while let next = left.first, try cursor.seek(atOrBefore: key(next)) != nil {
            // The number of pages that may be merged from here on, one after the other.
            var pages = 0
            repeat {
                guard let neighbour = try isForward ? cursor.nextPage() : cursor.previousPage() else { return }
                let count = left.prefix { index in
                    let order = key(index).compare(neighbour.key)
                    return isForward ? order < 0 : order > 0
                }.count
                left = left.dropFirst(count)
                pages += count > 0 ? count : -1
            } while pages > 0
        }
    }
}
