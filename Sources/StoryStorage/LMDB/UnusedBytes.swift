import CLMDB
package import StoryCore

/// The bytes of an environment's file that belong to no entry: free pages, gaps in pages, and all behind the last page.
/// They still have earlier contents, also parts of other pages.
extension Environment {
    /// The number of the oldest transaction whose snapshot is read, by any process; nil where none is.
    package var oldestSnapshot: UInt? { raw.oldestSnapshot }

    /// The number of the newest commit.
    package var lastTransaction: UInt { UInt(raw.info.me_last_txnid) }

    /// True where the file system writes each change of the file to new blocks, and frees those before.
    package var isCopiedOnWrite: Bool { CopyOnWrite.isUsed(fileDescriptor) }

    /// Fills these bytes with zeros, and syncs the file; then the memory of the pages that later commits write.
    ///
    /// No write transaction may be under way, or begin meanwhile.
    ///
    /// - Returns: false where a snapshot, of any process, may still need one of the pages; then nothing is changed.
    /// - Throws: `.corrupt` where a page is not one that LMDB wrote; otherwise the error of the system.
    package func zeroUnused() throws(StorageError) -> Bool {
        let unused = UnusedBytes(pageSize)
        try PageWalk(path + "/data.mdb").run(unused)
        clearStaleReaders()
        if let oldest = oldestSnapshot, oldest < unused.lastFreeing { return false }
        let writer = try Overwriting(self)
        for range in unused.ranges { try writer.zero(range) }
        let used = usedBytes
        if fileSize > used { try writer.zero(used..<fileSize) }
        try syncRead()
        try clearPageMemory()
        return true
    }
}

/// The unused bytes in the pages of a commit, found by a walk over it.
private final class UnusedBytes: PageVisitor {
    /// The ranges in the file.
    private(set) var ranges: [Range<Int>] = []
    /// The number of the last transaction that freed a page.
    private(set) var lastFreeing: UInt = 0
    private let pageSize: Int

    init(_ pageSize: Int) { self.pageSize = pageSize }

    func enters(_ page: UInt64, _ count: UInt64) -> Bool { true }

    func leaves(_ page: UInt64, _ bytes: UnsafeRawBufferPointer) {
        guard let tree = TreePage(bytes, number: page) else { return }
        add(tree.gap, of: page)
        guard !tree.isBranch else { return }
        for index in 0..<tree.count {
            // LMDB clears the end of a longer value, and not that of one page, whose memory may have been another's.
            guard case .apart(let first, let count) = tree.entry(index),
                TreePage.pages(of: count, pageSize: pageSize) == 1
            else { continue }
            add(TreePage.headerSize + count..<pageSize, of: first)
        }
    }

    func frees(_ pages: UnsafeRawBufferPointer, by transaction: UInt64) {
        lastFreeing = max(lastFreeing, UInt(transaction))
        for index in 0..<pages.count / 8 { add(0..<pageSize, of: pages.number(at: 8 * index, as: UInt64.self)) }
    }

    private func add(_ range: Range<Int>, of page: UInt64) {
        guard !range.isEmpty, page > 1 else { return }
        let start = Int(page) * pageSize
        ranges.append(start + range.lowerBound..<start + range.upperBound)
    }
}
