import CLMDB
package import StoryCore

/// One of LMDB's B-trees in the map, for look-ups without LMDB.
///
/// LMDB's own look-up waits for memory at each of its steps. Here a search is a value that takes one step at a time
/// (`TreeSearch`), so that several searches wait at the same time. A page is compared with its checksum before its
/// first use. The tree is valid until the snapshot that it was read from ends, and as long as its `ProvenPages` exists.
package struct StoredTree: BitwiseCopyable {
    /// The address of page 0.
    let map: UnsafeRawPointer
    private let pageSize: Int
    /// The number of pages in the map.
    private let pageCount: UInt64
    private let root: UInt64
    /// The number of pages from the root to a leaf, both counted; 0 for an empty tree.
    let depth: Int
    /// The pages that need no comparison with their checksums; nil if none does.
    private let proven: Unmanaged<ProvenPages>?
    /// True where a page that is to be compared again needs that once a turn of the loop only.
    private let isOfLoop: Bool

    /// The most levels of a tree. LMDB's smallest fan-out needs fewer for any number of pages that a map can hold.
    static let mostLevels = 16

    fileprivate init(
        _ record: TreeRecord, map: UnsafeRawPointer, in environment: Environment, _ proven: ProvenPages?,
        isOfLoop: Bool
    ) {
        self.map = map
        pageSize = environment.pageSize
        pageCount = UInt64(environment.usedBytes / environment.pageSize)
        root = record.root
        depth = record.root == TreeRecord.noPage ? 0 : record.depth
        self.proven = proven.map(Unmanaged.passUnretained)
        self.isOfLoop = isOfLoop
    }

    /// Returns the value at a key; nil when there is none.
    ///
    /// - Parameter isProving: true to compare each page of the search with its checksum, whenever that was done before,
    ///   since a page that changed after its first use may lead past the key. It takes some 0.2 µs a page, of which a
    ///   search has three or four.
    /// - Throws: `.corrupt` when a page is not as it was written.
    package func value(
        at key: UnsafeRawBufferPointer, isProving: Bool = false
    ) throws(StorageError) -> UnsafeRawBufferPointer? {
        var search = try TreeSearch(key, in: self, isProving: isProving)
        return try search.finish()
    }

    /// Compares a page with its checksum, whenever that was done before, or before this turn in a tree of the loop; the page
    /// must be inside the map.
    func proveAgain(_ page: UnsafeRawPointer) throws(StorageError) {
        guard let proven else { return }
        let (number, bytes) = (UInt64((page - map) / pageSize), UnsafeRawBufferPointer(start: page, count: pageSize))
        let pages = proven.takeUnretainedValue()
        try isOfLoop ? pages.proveInTurn(number, bytes) : pages.proveAgain(number, bytes)
    }

    /// Compares the pages of a value that has pages of its own, as `proveAgain` does.
    func proveAgain(
        valueOf node: Int, on page: UnsafeRawPointer, _ value: UnsafeRawBufferPointer
    ) throws(StorageError) {
        guard isApart(page, node), let start = value.baseAddress else { return }
        for index in 0..<Int(TreePage.pages(of: value.count, pageSize: pageSize)) {
            try proveAgain(start - TreePage.headerSize + index * pageSize)
        }
    }

    /// Returns a search that has descended to the leaf page of a key, and has prefetched it.
    ///
    /// - Parameters:
    ///   - key: must stay valid until the search is over.
    ///   - isProving: as for `value`.
    /// - Throws: as `value`.
    package func search(
        for key: UnsafeRawBufferPointer, isProving: Bool = false
    ) throws(StorageError) -> TreeSearch {
        var search = try TreeSearch(key, in: self, isProving: isProving)
        while search.levels > 1, try search.leaveNextPage() {}
        return search
    }

    // MARK: Pages

    /// Returns the root page; the tree must not be empty.
    @inline(__always)
    func rootPage() throws(StorageError) -> UnsafeRawPointer { try page(root) }

    /// Returns a page, which was compared with its checksum.
    @inline(__always)
    func page(_ number: UInt64) throws(StorageError) -> UnsafeRawPointer {
        guard number < pageCount else { throw .corrupt("a stored table leads out of its file", at: nil) }
        if let proven, !proven._withUnsafeGuaranteedRef({ $0.contains(number) }) {
            try proven.takeUnretainedValue().prove(number)
        }
        return map + Int(number) * pageSize
    }

    /// Returns the number of nodes on a page, at least 1.
    @inline(__always)
    func nodeCount(_ page: UnsafeRawPointer, isLeaf: Bool) throws(StorageError) -> Int {
        let lower = Int(page.loadUnaligned(fromByteOffset: 12, as: UInt16.self))
        guard
            page.loadUnaligned(fromByteOffset: 10, as: UInt16.self) == (isLeaf ? TreePage.isLeaf : TreePage.isBranch),
            lower > TreePage.headerSize, lower <= pageSize
        else { throw damaged }
        return (lower - TreePage.headerSize) / 2
    }

    /// Returns the offset of a node, whose header is inside the page.
    @inline(__always)
    func node(_ page: UnsafeRawPointer, _ index: Int) throws(StorageError) -> Int {
        let offset = page.loadUnaligned(fromByteOffset: TreePage.headerSize + 2 * index, as: UInt16.self)
        guard Int(offset) + TreePage.nodeSize <= pageSize else { throw damaged }
        return Int(offset)
    }

    /// Returns the number of the page below a node of a branch page.
    @inline(__always)
    func child(_ page: UnsafeRawPointer, _ node: Int) -> UInt64 {
        let first = page.loadUnaligned(fromByteOffset: node, as: UInt32.self)
        let second = page.loadUnaligned(fromByteOffset: node + 4, as: UInt16.self)
        return UInt64(first) | UInt64(second) << 32
    }

    /// Returns the key of a node.
    @inline(__always)
    func key(_ page: UnsafeRawPointer, _ node: Int) throws(StorageError) -> UnsafeRawBufferPointer {
        let count = Int(page.loadUnaligned(fromByteOffset: node + 6, as: UInt16.self))
        guard node + TreePage.nodeSize + count <= pageSize else { throw damaged }
        return UnsafeRawBufferPointer(start: page + node + TreePage.nodeSize, count: count)
    }

    /// Compares a key with that of a node: negative when it comes before, positive when it comes after.
    @inline(__always)
    func order(
        _ key: UnsafeRawBufferPointer, _ page: UnsafeRawPointer, _ index: Int
    ) throws(StorageError) -> Int32 {
        let other = try self.key(page, try node(page, index))
        return clm_compare(key.baseAddress, key.count, other.baseAddress, other.count)
    }

    /// Returns the value of a node of a leaf page, which follows its key or is on pages of its own.
    func value(_ page: UnsafeRawPointer, _ node: Int) throws(StorageError) -> UnsafeRawBufferPointer {
        let count = Int(page.loadUnaligned(fromByteOffset: node, as: UInt32.self))
        let start =
            node + TreePage.nodeSize + Int(page.loadUnaligned(fromByteOffset: node + 6, as: UInt16.self))
        guard !isApart(page, node) else {
            guard start + 8 <= pageSize else { throw damaged }
            let number = page.loadUnaligned(fromByteOffset: start, as: UInt64.self)
            let first = try self.page(number)
            let pages = TreePage.pages(of: count, pageSize: pageSize)
            guard pages <= pageCount - number else { throw damaged }
            for other in 1..<max(pages, 1) { _ = try self.page(number + other) }
            return UnsafeRawBufferPointer(start: first + TreePage.headerSize, count: count)
        }
        guard start + count <= pageSize else { throw damaged }
        return UnsafeRawBufferPointer(start: page + start, count: count)
    }

    /// Returns true where the value of a node of a leaf page has pages of its own.
    func isApart(_ page: UnsafeRawPointer, _ node: Int) -> Bool {
        page.loadUnaligned(fromByteOffset: node + 4, as: UInt16.self) & TreePage.isApart != 0
    }

    private var damaged: StorageError { .corrupt("a page of a stored table is damaged", at: nil) }
}

extension ReadTransaction {
    /// Returns the tree of a named database in this snapshot; nil when there is none of that name.
    ///
    /// - Parameters:
    ///   - proven: the pages that need no comparison with their checksums; nil compares none.
    ///   - isOfLoop: true where searches that compare pages again need that once a turn of the loop only.
    /// - Throws: the error of reading.
    package borrowing func tree(
        of name: String, in environment: Environment, _ proven: ProvenPages? = nil, isOfLoop: Bool = false
    ) throws(StorageError) -> StoredTree? {
        let record = try Array(name.utf8).withBytes { (name) throws(StorageError) in
            try value(in: .main, at: name)
        }
        guard let record, let start = record.baseAddress, record.count == TreeRecord.size else { return nil }
        let tree = TreeRecord(record, at: 0)
        guard tree.depth <= StoredTree.mostLevels else {
            throw .corrupt("a table of \(environment.path) has \(tree.depth) levels", at: nil)
        }
        // The record is on a page, which begins with its own number: that gives the address of page 0.
        let page = UnsafeRawPointer(bitPattern: UInt(bitPattern: start) & ~UInt(environment.pageSize - 1))
        guard let page, case let number = page.loadUnaligned(as: UInt64.self),
            number < UInt64(environment.usedBytes / environment.pageSize)
        else {
            throw .corrupt("a page of \(environment.path) has another's number", at: nil)
        }
        let map = page - Int(number) * environment.pageSize
        return StoredTree(tree, map: map, in: environment, proven, isOfLoop: isOfLoop)
    }
}
