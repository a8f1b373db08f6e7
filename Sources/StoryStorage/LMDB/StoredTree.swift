import CLMDB
package import StoryCore

/// One of LMDB's trees of keys and values as it lies in the map, to look keys up in without LMDB.
///
/// LMDB's own look-up waits for memory at each of its steps. Here a search is a value that takes its steps when it is
/// told to (`TreeSearch`), so that several of them wait at the same time. It is good for as long as the view that it was
/// made of.
package struct StoredTree: BitwiseCopyable {
    /// Where page 0 lies.
    fileprivate let map: UnsafeRawPointer
    fileprivate let pageSize: Int
    /// How many pages there are.
    fileprivate let pageCount: UInt64
    fileprivate let root: UInt64
    /// How many pages stand between the root and a leaf, both counted; 0 for a tree without an entry.
    fileprivate let depth: Int

    /// The bytes at a key; nil when there are none.
    ///
    /// - Throws: `.corrupt` where a page is not what LMDB writes.
    package func value(at key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
        var search = try TreeSearch(key, in: self)
        return try search.finish()
    }

    /// A search for a key that has come to the key's leaf, and has asked for that.
    ///
    /// - Parameter key: stays where it is until the search is over.
    /// - Throws: as `value`.
    package func search(for key: UnsafeRawBufferPointer) throws(StorageError) -> TreeSearch {
        var search = try TreeSearch(key, in: self)
        while search.levels > 1, try search.leaveNextPage() {}
        return search
    }
}

extension ReadTransaction {
    /// The tree of a named database in this view; nil when there is none of that name.
    ///
    /// - Throws: what reading failed with.
    package borrowing func tree(of name: String, in environment: Environment) throws(StorageError) -> StoredTree? {
        let record = try Array(name.utf8).withBytes { (name) throws(StorageError) in
            try value(in: .main, at: name)
        }
        guard let record, let start = record.baseAddress, record.count == TreeRecord.size else { return nil }
        let tree = TreeRecord(record, at: 0)
        // The record lies on a page, which begins with its own number: so it tells where page 0 is.
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

/// A search for one key, which goes down a tree page by page, and within a page from the middle to the middle of a half.
///
/// Each step looks at one key, asks for the memory that the next step looks at, and does not wait for it.
package struct TreeSearch: BitwiseCopyable {
    private static let headerSize = 16
    private static let nodeSize = 8
    private static let branch: UInt16 = 0x01
    private static let leaf: UInt16 = 0x02
    private static let isApart: UInt16 = 0x01
    /// So many bytes of a value are asked for.
    private static let askedBytes = 448
    /// So many bytes of a page, which say where its keys lie.
    private static let askedPlaces = 256

    private let key: UnsafeRawBufferPointer
    private let tree: StoredTree
    /// The page that it stands on.
    private var page: UnsafeRawPointer
    /// How many pages are left to go down, this one counted.
    fileprivate var levels: Int
    /// The last node that is known not to come behind the key; the first of a page is taken for that.
    private var low = 0
    /// How many nodes behind it may be so as well; below zero until the page was looked at.
    private var left = -1
    /// The bytes at the key, once the search is over; nil when there are none.
    package private(set) var value: UnsafeRawBufferPointer?

    /// - Throws: `.corrupt` where the root is not in the map.
    package init(_ key: UnsafeRawBufferPointer, in tree: StoredTree) throws(StorageError) {
        self.key = key
        self.tree = tree
        page = tree.map
        levels = tree.depth
        if levels > 0 { page = try TreeSearch.page(tree.root, tree) }
    }

    /// Takes the next step; false when the search is over.
    ///
    /// - Throws: `.corrupt` where the page is not what LMDB writes.
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
            clm_prefetch(page + (try node(low + (left + 1) / 2)), 1)
            return true
        }
        return try leavePage()
    }

    /// Takes all steps that are left; the bytes at the key, or nil when there are none.
    ///
    /// - Throws: as `step`.
    package mutating func finish() throws(StorageError) -> UnsafeRawBufferPointer? {
        while try leaveNextPage() {}
        return value
    }

    /// Takes all steps on the page that it stands on, for whoever looks up one key: it asks for both keys of which one
    /// comes next. False when the search is over.
    ///
    /// - Throws: as `step`.
    fileprivate mutating func leaveNextPage() throws(StorageError) -> Bool {
        guard levels > 0 else { return false }
        var (low, left) = (0, try nodeCount() - 1)
        while left > 0 {
            let half = (left + 1) / 2
            left -= half
            let next = (left + 1) / 2
            clm_prefetch(page + (try node(low + next)), 1)
            clm_prefetch(page + (try node(low + half + next)), 1)
            low += try order(low + half) >= 0 ? half : 0
        }
        self.low = low
        return try leavePage()
    }

    /// Goes on to the page below, or to the value.
    private mutating func leavePage() throws(StorageError) -> Bool {
        levels -= 1
        let node = try node(low)
        guard levels > 0 else {
            guard try order(low) == 0 else { return false }
            let found = try value(of: node)
            clm_prefetch(found.baseAddress, min(found.count, TreeSearch.askedBytes))
            value = found
            return false
        }
        let first = page.loadUnaligned(fromByteOffset: node, as: UInt32.self)
        let second = page.loadUnaligned(fromByteOffset: node + 4, as: UInt16.self)
        page = try TreeSearch.page(UInt64(first) | UInt64(second) << 32, tree)
        (low, left) = (0, -1)
        clm_prefetch(page, TreeSearch.askedPlaces)
        return true
    }

    /// A value lies behind its key, or on pages of its own.
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

    /// How many nodes the page has.
    @inline(__always)
    private func nodeCount() throws(StorageError) -> Int {
        let type = levels == 1 ? TreeSearch.leaf : TreeSearch.branch
        let lower = Int(page.loadUnaligned(fromByteOffset: 12, as: UInt16.self))
        guard page.loadUnaligned(fromByteOffset: 10, as: UInt16.self) == type, lower > TreeSearch.headerSize,
            lower <= tree.pageSize
        else { throw damaged }
        return (lower - TreeSearch.headerSize) / 2
    }

    /// Where a node begins on the page, all of whose head lies on it.
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

    /// Below zero where the key comes before that of a node, above it where it comes behind.
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
