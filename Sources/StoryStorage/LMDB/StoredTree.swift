import CLMDB
package import StoryCore

/// One of LMDB's B-trees in the map, for look-ups without LMDB.
///
/// LMDB's own look-up waits for memory at each of its steps. Here a search is a value that takes one step at a time
/// (`TreeSearch`), so that several searches wait at the same time. The tree is valid until the snapshot that it was
/// read from ends.
package struct StoredTree: BitwiseCopyable {
    /// The address of page 0.
    fileprivate let map: UnsafeRawPointer
    fileprivate let pageSize: Int
    /// The number of pages in the map.
    fileprivate let pageCount: UInt64
    fileprivate let root: UInt64
    /// The number of pages from the root to a leaf, both counted; 0 for an empty tree.
    fileprivate let depth: Int

    /// Returns the value at a key; nil when there is none.
    ///
    /// - Throws: `.corrupt` when a page is not as LMDB writes it.
    package func value(at key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
        var search = try TreeSearch(key, in: self)
        return try search.finish()
    }

    /// Returns a search that has descended to the leaf page of a key, and has prefetched it.
    ///
    /// - Parameter key: must stay valid until the search is over.
    /// - Throws: as `value`.
    package func search(for key: UnsafeRawBufferPointer) throws(StorageError) -> TreeSearch {
        var search = try TreeSearch(key, in: self)
        while search.levels > 1, try search.leaveNextPage() {}
        return search
    }
}

extension ReadTransaction {
    /// Returns the tree of a named database in this snapshot; nil when there is none of that name.
    ///
    /// - Throws: the error of reading.
    package borrowing func tree(of name: String, in environment: Environment) throws(StorageError) -> StoredTree? {
        let record = try Array(name.utf8).withBytes { (name) throws(StorageError) in
            try value(in: .main, at: name)
        }
        guard let record, let start = record.baseAddress, record.count == TreeRecord.size else { return nil }
        let tree = TreeRecord(record, at: 0)
        // The record is on a page, which begins with its own number: that gives the address of page 0.
        let page = UnsafeRawPointer(bitPattern: UInt(bitPattern: start) & ~UInt(environment.pageSize - 1))
        let pageCount = UInt64(environment.usedBytes / environment.pageSize)
        guard let page, case let number = page.loadUnaligned(as: UInt64.self), number < pageCount else {
            throw .corrupt("a page of \(environment.path) has another's number", at: nil)
        }
        return StoredTree(
            map: page - Int(number) * environment.pageSize, pageSize: environment.pageSize, pageCount: pageCount,
            root: tree.root, depth: tree.root == TreeRecord.noPage ? 0 : tree.depth)
    }
}

/// A search for one key: a B-tree descent page by page, with a binary search within each page.
///
/// Each step compares one key, prefetches the memory that the next step reads, and does not wait for it.
package struct TreeSearch: BitwiseCopyable {
    private static let headerSize = 16
    private static let nodeSize = 8
    private static let branch: UInt16 = 0x01
    private static let leaf: UInt16 = 0x02
    private static let isApart: UInt16 = 0x01
    /// The number of bytes of a value that are prefetched.
    private static let askedBytes = 448
    /// The number of bytes of a page that are prefetched, which have the offsets of its keys.
    private static let askedPlaces = 256

    private let key: UnsafeRawBufferPointer
    private let tree: StoredTree
    /// The current page.
    private var page: UnsafeRawPointer
    /// The number of pages that are left to descend, this one counted.
    fileprivate var levels: Int
    /// The index of the last node that is known not to follow the key; the first of a page is assumed not to.
    private var low = 0
    /// The number of nodes after `low` that may not follow the key either; negative until the page was looked at.
    private var left = -1
    /// The value at the key, once the search is over; nil when there is none.
    package private(set) var value: UnsafeRawBufferPointer?

    /// Begins a search at the root of a tree.
    ///
    /// - Throws: `.corrupt` when the root is outside the map.
    package init(_ key: UnsafeRawBufferPointer, in tree: StoredTree) throws(StorageError) {
        self.key = key
        self.tree = tree
        page = tree.map
        levels = tree.depth
        if levels > 0 { page = try TreeSearch.page(tree.root, tree) }
    }

    /// Takes the next step; false when the search is over.
    ///
    /// - Throws: `.corrupt` when the page is not as LMDB writes it.
    package mutating func step() throws(StorageError) -> Bool {
        if left > 0 {
            let half = (left + 1) / 2
            low += try order(low + half) >= 0 ? half : 0
            left -= half
        } else {
            guard levels > 0 else { return false }
            left = try nodeCount() - 1
        }
        if left > 0 {
            (page + (try node(low + (left + 1) / 2))).prefetch(1)
            return true
        }
        return try leavePage()
    }

    /// Takes all remaining steps and returns the value at the key; nil when there is none.
    ///
    /// - Throws: as `step`.
    package mutating func finish() throws(StorageError) -> UnsafeRawBufferPointer? {
        while try leaveNextPage() {}
        return value
    }

    /// Takes all steps on the current page; false when the search is over.
    ///
    /// It is for a look-up of one key: it prefetches both keys of which one is compared next.
    ///
    /// - Throws: as `step`.
    fileprivate mutating func leaveNextPage() throws(StorageError) -> Bool {
        guard levels > 0 else { return false }
        var (low, left) = (0, try nodeCount() - 1)
        while left > 0 {
            let half = (left + 1) / 2
            left -= half
            let next = (left + 1) / 2
            (page + (try node(low + next))).prefetch(1)
            (page + (try node(low + half + next))).prefetch(1)
            low += try order(low + half) >= 0 ? half : 0
        }
        self.low = low
        return try leavePage()
    }

    /// Descends to the page below, or ends the search at the value; false then.
    private mutating func leavePage() throws(StorageError) -> Bool {
        levels -= 1
        let node = try node(low)
        guard levels > 0 else {
            guard try order(low) == 0 else { return false }
            let found = try value(of: node)
            found.baseAddress?.prefetch(min(found.count, TreeSearch.askedBytes))
            value = found
            return false
        }
        let first = page.loadUnaligned(fromByteOffset: node, as: UInt32.self)
        let second = page.loadUnaligned(fromByteOffset: node + 4, as: UInt16.self)
        page = try TreeSearch.page(UInt64(first) | UInt64(second) << 32, tree)
        (low, left) = (0, -1)
        page.prefetch(TreeSearch.askedPlaces)
        return true
    }

    /// Returns the value of a node, which follows its key or is on overflow pages.
    private func value(of node: Int) throws(StorageError) -> UnsafeRawBufferPointer {
        let count = Int(page.loadUnaligned(fromByteOffset: node, as: UInt32.self))
        let flags = page.loadUnaligned(fromByteOffset: node + 4, as: UInt16.self)
        let start = node + TreeSearch.nodeSize + keyCount(node)
        guard flags & TreeSearch.isApart == 0 else {
            guard start + 8 <= tree.pageSize else { throw damaged }
            let first = try TreeSearch.page(page.loadUnaligned(fromByteOffset: start, as: UInt64.self), tree)
            let end = first - tree.map + TreeSearch.headerSize + count
            guard end <= Int(tree.pageCount) * tree.pageSize else { throw damaged }
            return UnsafeRawBufferPointer(start: first + TreeSearch.headerSize, count: count)
        }
        guard start + count <= tree.pageSize else { throw damaged }
        return UnsafeRawBufferPointer(start: page + start, count: count)
    }

    /// Returns the number of nodes on the page.
    @inline(__always)
    private func nodeCount() throws(StorageError) -> Int {
        let type = levels == 1 ? TreeSearch.leaf : TreeSearch.branch
        let lower = Int(page.loadUnaligned(fromByteOffset: 12, as: UInt16.self))
        guard page.loadUnaligned(fromByteOffset: 10, as: UInt16.self) == type, lower > TreeSearch.headerSize,
            lower <= tree.pageSize
        else { throw damaged }
        return (lower - TreeSearch.headerSize) / 2
    }

    /// Returns the offset of a node, whose header is inside the page.
    @inline(__always)
    private func node(_ index: Int) throws(StorageError) -> Int {
        let offset = page.loadUnaligned(fromByteOffset: TreeSearch.headerSize + 2 * index, as: UInt16.self)
        guard Int(offset) + TreeSearch.nodeSize <= tree.pageSize else { throw damaged }
        return Int(offset)
    }

    @inline(__always)
    private func keyCount(_ node: Int) -> Int {
        Int(page.loadUnaligned(fromByteOffset: node + 6, as: UInt16.self))
    }

    /// Compares the key with that of a node: negative when it comes before, positive when it comes after.
    @inline(__always)
    private func order(_ index: Int) throws(StorageError) -> Int32 {
        let node = try node(index)
        let count = keyCount(node)
        guard node + TreeSearch.nodeSize + count <= tree.pageSize else { throw damaged }
        return clm_compare(key.baseAddress, key.count, page + node + TreeSearch.nodeSize, count)
    }

    private static func page(_ number: UInt64, _ tree: StoredTree) throws(StorageError) -> UnsafeRawPointer {
        guard number < tree.pageCount else { throw .corrupt("a stored table leads out of its file", at: nil) }
        return tree.map + Int(number) * tree.pageSize
    }

    private var damaged: StorageError { .corrupt("a page of a stored table is damaged", at: nil) }
}
