import Glibc
package import StoryCore

/// A visitor of the pages of a commit, which `PageWalk` calls.
package protocol PageVisitor: AnyObject {
    /// True when the visitor needs the bytes of values on overflow pages; false unless a visitor says so.
    var wantsValues: Bool { get }
    /// False to skip the named databases; true unless a visitor says so.
    var wantsTables: Bool { get }
    /// Visits `count` pages of the commit from this one on; returns false to skip them and all pages below them.
    func enters(_ page: UInt64, _ count: UInt64) throws(StorageError) -> Bool
    /// Ends a visit: these pages and all below them are as LMDB writes them. The bytes are valid until it returns.
    func leaves(_ page: UInt64, _ bytes: UnsafeRawBufferPointer) throws(StorageError)
    /// Takes the numbers of the pages that a commit freed, eight bytes each.
    func frees(_ pages: UnsafeRawBufferPointer, by transaction: UInt64) throws(StorageError)
}

extension PageVisitor {
    package var wantsValues: Bool { false }
    package var wantsTables: Bool { true }
    package func leaves(_ page: UInt64, _ bytes: UnsafeRawBufferPointer) {}
    package func frees(_ pages: UnsafeRawBufferPointer, by transaction: UInt64) {}
}

/// A walk over the pages of the newest commit of an LMDB file, without LMDB, which crashes on many damaged pages.
///
/// Every number is checked before it is used, and a page that cannot be read is an error like others.
package final class PageWalk {
    /// The meta page that the walk begins at.
    package let meta: MetaPage
    private let file: SharedFile
    private let path: String
    private var buffers: [UnsafeMutableRawBufferPointer] = []
    /// The mapped file; nil when the pages are read from the disk.
    private var map: UnsafeMutableRawBufferPointer?

    private static let freeFlags: UInt16 = 0x08
    private static let mostLevels = 32
    /// The maximum size of a value in bytes.
    private static let largestValue = 1 << 30

    /// Opens the file at a path, which must not be written meanwhile.
    ///
    /// - Parameters:
    ///   - open: the file, if it is open already.
    ///   - isMapped: true right after a commit of this process: its pages are in memory, and are not read one by one. A
    ///     page that the disk cannot read would end the process then.
    ///
    /// - Throws: `.corrupt` when its meta pages are not those of an LMDB file, or it is truncated.
    package init(_ path: String, open: SharedFile? = nil, isMapped: Bool = false) throws(StorageError) {
        guard Folder.exists(path) else { throw .corrupt("\(path) is not there", at: nil) }
        file = if let open { open } else { try SharedFile(path, O_RDONLY | O_NOFOLLOW) }
        self.path = path
        meta = try MetaPage.newest(file.handle, path)
        let size = UInt64(try file.handle.size(path))
        let (pages, areTooMany) = meta.lastPage.addingReportingOverflow(1)
        let (needed, isTooLarge) = pages.multipliedReportingOverflow(by: UInt64(meta.pageSize))
        guard !areTooMany, !isTooLarge, needed <= size else {
            throw .corrupt("\(path) was cut short: it has \(size) bytes and should have \(needed)", at: nil)
        }
        guard isMapped else { return }
        let mapped = mmap(nil, Int(needed), PROT_READ, MAP_SHARED, file.handle.descriptor, 0)
        guard let mapped, mapped != MAP_FAILED else { throw SystemError.from(errno, "mapping \(path)") }
        map = UnsafeMutableRawBufferPointer(start: mapped, count: Int(needed))
    }

    deinit {
        for buffer in buffers { buffer.deallocate() }
        if let map { munmap(map.baseAddress, map.count) }
    }

    /// Returns the bytes of a page of the commit; nil where the pages are read from the disk.
    package func mapped(_ page: UInt64) -> UnsafeRawBufferPointer? {
        guard let map, page <= meta.lastPage else { return nil }
        return UnsafeRawBufferPointer(map).slice(Int(page) * meta.pageSize, count: meta.pageSize)
    }

    /// Visits the pages of both trees, and of the trees that the main one names.
    ///
    /// - Throws: `.corrupt` when a page is not one that LMDB wrote there; the errors of the visitor.
    package func run(_ visitor: some PageVisitor) throws(StorageError) {
        guard meta.free.flags == PageWalk.freeFlags else { throw damaged(meta.transaction & 1) }
        try visit(Tree(record: meta.free, kind: .free, start: 0), visitor)
        try visit(Tree(record: meta.main, kind: .main, start: 0), visitor)
    }

    /// The kind of a tree: the free list, the main database, or one of the named databases.
    private enum Kind {
        case free, main, named
    }

    /// A tree, and the number of pages above its root.
    private struct Tree {
        let record: TreeRecord
        let kind: Kind
        let start: Int
    }

    /// The range of a page's keys: from `lower` up to `upper`, which is excluded.
    private struct Bounds {
        var lower: UnsafeRawBufferPointer?
        var upper: UnsafeRawBufferPointer?
    }

    private func visit(_ tree: Tree, _ visitor: some PageVisitor) throws(StorageError) {
        let record = tree.record
        guard tree.kind == .free || record.flags == 0, tree.start + record.depth <= PageWalk.mostLevels,
            (record.root == TreeRecord.noPage) == (record.depth == 0)
        else { throw damaged(meta.transaction & 1) }
        let counts = [record.branchPages, record.leafPages, record.overflowPages]
        // Larger counts than the file has pages are damage.
        guard counts.allSatisfy({ $0 <= meta.lastPage }) else { throw damaged(meta.transaction & 1) }
        guard tree.kind != .named || visitor.wantsTables, record.depth > 0 else { return }
        try visit(record.root, 1, tree, Bounds(), visitor)
    }

    private func visit(
        _ number: UInt64, _ level: Int, _ tree: Tree, _ bounds: Bounds, _ visitor: some PageVisitor
    ) throws(StorageError) {
        try checkRange(number, 1, bounds)
        guard try visitor.enters(number, 1) else { return }
        let bytes = try read(number, meta.pageSize, into: tree.start + level)
        guard let page = TreePage(bytes, number: number), page.isBranch == (level < tree.record.depth),
            isInOrder(page, tree, bounds)
        else { throw damaged(number, bounds) }
        for index in 0..<page.count {
            if page.isBranch {
                var below = bounds
                if index > 0 { below.lower = page.key(index) }
                if index + 1 < page.count { below.upper = page.key(index + 1) }
                try visit(page.child(index), level + 1, tree, below, visitor)
            } else {
                try visit(page, index, tree, level, bounds, visitor)
            }
        }
        try visitor.leaves(number, bytes)
    }

    /// Visits the pages that an entry of a leaf page refers to.
    private func visit(
        _ page: TreePage, _ index: Int, _ tree: Tree, _ level: Int, _ bounds: Bounds,
        _ visitor: some PageVisitor
    ) throws(StorageError) {
        switch page.entry(index) {
        case .inline(let value):
            if tree.kind == .free { try free(page.key(index), value, visitor) }
        case .apart(let first, let count):
            guard count <= PageWalk.largestValue else { throw damaged(page.number, bounds) }
            let pages = TreePage.pages(of: count, pageSize: meta.pageSize)
            try checkRange(first, pages, bounds)
            guard try visitor.enters(first, pages) else { return }
            guard tree.kind == .free || visitor.wantsValues else { return }
            let bytes = try read(first, Int(pages) * meta.pageSize, into: 0)
            if tree.kind == .free { try free(page.key(index), bytes.slice(16, count: count), visitor) }
            try visitor.leaves(first, bytes)
        case .tree(let record):
            guard tree.kind == .main else { throw damaged(page.number, bounds) }
            try visit(Tree(record: record, kind: .named, start: tree.start + level), visitor)
        }
    }

    /// Reads a part of the free list: the number of pages, then each page's number.
    private func free(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ visitor: some PageVisitor
    ) throws(StorageError) {
        guard key.count == 8, value.count >= 8, value.number(at: 0, as: UInt64.self) == UInt64(value.count / 8 - 1)
        else { throw .corrupt("\(path): its list of free pages is damaged", at: nil) }
        try visitor.frees(
            UnsafeRawBufferPointer(rebasing: value[8..<value.count / 8 * 8]), by: key.number(at: 0, as: UInt64.self))
    }

    private func isInOrder(_ page: TreePage, _ tree: Tree, _ bounds: Bounds) -> Bool {
        // LMDB never reads the first key of a branch page.
        let first = page.isBranch ? 1 : 0
        guard page.count > first else { return tree.kind == .free && page.count > 0 }
        if let lower = bounds.lower, precedes(page.key(first), lower, tree) { return false }
        for index in first + 1..<max(page.count, first + 1)
        where !precedes(page.key(index - 1), page.key(index), tree) { return false }
        return bounds.upper.map { precedes(page.key(page.count - 1), $0, tree) } ?? true
    }

    private func precedes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer, _ tree: Tree) -> Bool {
        guard tree.kind == .free else { return left.compare(right) < 0 }
        guard left.count == 8, right.count == 8 else { return false }
        return left.number(at: 0, as: UInt64.self) < right.number(at: 0, as: UInt64.self)
    }

    private func checkRange(_ page: UInt64, _ count: UInt64, _ bounds: Bounds) throws(StorageError) {
        guard page >= 2, page <= meta.lastPage, count <= meta.lastPage - page + 1 else { throw damaged(page, bounds) }
    }

    private func read(_ page: UInt64, _ count: Int, into level: Int) throws(StorageError) -> UnsafeRawBufferPointer {
        // Both were checked against the last page, which is inside the file.
        if let map { return UnsafeRawBufferPointer(map).slice(Int(page) * meta.pageSize, count: count) }
        while buffers.count <= level || buffers[level].count < count {
            if level < buffers.count {
                buffers[level].deallocate()
                buffers[level] = .allocate(byteCount: count, alignment: 4_096)
            } else {
                buffers.append(.allocate(byteCount: meta.pageSize, alignment: 4_096))
            }
        }
        let target = UnsafeMutableRawBufferPointer(rebasing: buffers[level][..<count])
        guard try file.handle.read(into: target, at: Int(page) * meta.pageSize, of: path) == count else {
            throw .corrupt("\(path) was cut short in its page \(page)", at: nil)
        }
        return UnsafeRawBufferPointer(target)
    }

    /// Returns the error for a damaged page, with the first position that the page should hold: a key of eight bytes is
    /// a position of the log.
    private func damaged(_ page: UInt64, _ bounds: Bounds = Bounds()) -> StorageError {
        let first = bounds.lower.flatMap { $0.count == 8 ? UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) : nil }
        return .corrupt(
            "\(path) is damaged: its page \(page) is not one that was written there", at: first.map(Position.init))
    }
}
