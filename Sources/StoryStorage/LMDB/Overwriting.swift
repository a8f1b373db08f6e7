import CLMDB
import Glibc
package import StoryCore

/// A writer to the file of an environment, past LMDB: it changes bytes of the map, and clears those that nothing needs any more.
///
/// No write transaction may be under way, or begin, as long as it is used.
package struct Overwriting {
    /// The number of bytes of zeros that are written at once.
    private static let piece = 1 << 20

    private let environment: Environment
    /// The address of the first page in this process.
    private let map: UnsafeRawPointer

    /// Finds the map of an environment whose main database has an entry.
    ///
    /// - Throws: `.corrupt` if the first page of the main database has another's number, or there is none.
    package init(_ environment: Environment) throws(StorageError) {
        self.environment = environment
        let view = try ReadTransaction(environment)
        let key = try view.withCursor(in: .main) { (cursor) throws(StorageError) in
            try cursor.first().flatMap { $0.key.baseAddress }
        }
        // A key is on a page, which begins with its own number: that gives the address of page 0.
        let size = environment.pageSize
        guard let page = key.flatMap({ UnsafeRawPointer(bitPattern: UInt(bitPattern: $0) & ~UInt(size - 1)) }),
            case let number = page.loadUnaligned(as: UInt64.self), number < UInt64(environment.usedBytes / size)
        else { throw .corrupt("a page of \(environment.path) has another's number", at: nil) }
        map = page - Int(number) * size
    }

    /// Overwrites bytes of the map in the file, without a sync.
    ///
    /// - Throws: `.failed` where they are not in the map's used part; otherwise the error of the system.
    package func overwrite(_ bytes: UnsafeRawBufferPointer, by others: [UInt8]) throws(StorageError) {
        precondition(bytes.count == others.count, "\(bytes.count) bytes are overwritten by \(others.count)")
        guard let start = bytes.baseAddress, start >= map, start - map + bytes.count <= environment.usedBytes else {
            throw .failed("bytes that are to be overwritten are not in \(environment.path)/data.mdb")
        }
        try others.withBytes { (others) throws(StorageError) in try write(others, at: start - map) }
    }

    /// Fills a part of the file with zeros, without a sync.
    ///
    /// - Throws: the error of the system.
    func zero(_ range: Range<Int>) throws(StorageError) {
        let zeros = [UInt8](repeating: 0, count: min(range.count, Overwriting.piece))
        var start = range.lowerBound
        while start < range.upperBound {
            let count = min(zeros.count, range.upperBound - start)
            try zeros.withBytes { (zeros) throws(StorageError) in try write(zeros.slice(0, count: count), at: start) }
            start += count
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
        var written = 0
        while written < bytes.count {
            let count = pwrite(
                environment.fileDescriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written,
                off_t(offset + written))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemError.from(errno, "writing \(environment.path)/data.mdb") }
            written += count
        }
    }
}

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
