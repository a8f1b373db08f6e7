import Glibc
package import StoryCore

/// What is told of the pages of a commit, as `PageWalk` comes to them.
package protocol PageVisitor: AnyObject {
    /// True where the bytes of values that have pages of their own are wanted.
    var wantsValues: Bool { get }
    /// A tree that the commit has, which takes so many pages; false where it is passed over.
    func enters(treeOf pages: UInt64, isNamed: Bool) -> Bool
    /// So many pages from this one on belong to the commit; false where they, and all below them, are passed over.
    func enters(_ page: UInt64, _ count: UInt64) throws(StorageError) -> Bool
    /// These pages, which were entered, and all below them are as LMDB writes them; the bytes die with the call.
    func leaves(_ page: UInt64, _ bytes: UnsafeRawBufferPointer) throws(StorageError)
    /// These pages were freed by a commit, eight bytes each.
    func frees(_ pages: UnsafeRawBufferPointer, by transaction: UInt64) throws(StorageError)
}

/// Walks the pages of the newest commit of an LMDB file without LMDB, which dies of many a page that was not written
/// by it: nothing here is believed before it was looked at, and what cannot be read is an error like others.
package final class PageWalk {
    /// What the walk goes by.
    package let meta: MetaPage
    private let file: SharedFile
    private let path: String
    private var buffers: [UnsafeMutableRawBufferPointer] = []
    /// The file in memory, where nothing but this process's own writing is to be read.
    private var map: UnsafeMutableRawBufferPointer?

    private static let freeFlags: UInt16 = 0x08
    private static let mostLevels = 32
    /// A value has at most so many bytes.
    private static let largestValue = 1 << 30

    /// The file at a path; it must not be written meanwhile.
    ///
    /// - Parameters:
    ///   - open: the file, where somebody holds it open.
    ///   - isMapped: true right after a commit of this process: what it wrote is in memory, and is not read page by page.
    ///     What a disk could not give back would end the process then.
    ///
    /// - Throws: `.corrupt` where its first pages are not those of an LMDB file, or it is cut short.
    package init(_ path: String, open: SharedFile? = nil, isMapped: Bool = false) throws(StorageError) {
        guard Folder.exists(path) else { throw .corrupt("\(path) is not there", at: nil) }
        file = if let open { open } else { try SharedFile(path, O_RDONLY | O_NOFOLLOW) }
        self.path = path
        meta = try MetaPage.newest(file.handle, path)
        let size = UInt64(try file.handle.status(path).st_size)
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

    /// Visits the pages of both trees, and of those that the main one names.
    ///
    /// - Throws: `.corrupt` where a page is not one that LMDB wrote there; what the visitor throws.
    package func run(_ visitor: some PageVisitor) throws(StorageError) {
        guard meta.free.flags == PageWalk.freeFlags else { throw damaged(meta.transaction & 1) }
        try visit(Tree(record: meta.free, kind: .free, start: 0), visitor)
        try visit(Tree(record: meta.main, kind: .main, start: 0), visitor)
    }

    /// Which tree it is: of the free pages, the one that names others, or one of those.
    private enum Kind {
        case free, main, named
    }

    /// One tree, and how many pages lead to it.
    private struct Tree {
        let record: TreeRecord
        let kind: Kind
        let start: Int
    }

    /// Between which keys those of a page have to lie.
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
        // More pages than the file has cannot be added up, and need not be.
        guard counts.allSatisfy({ $0 <= meta.lastPage }) else { throw damaged(meta.transaction & 1) }
        let pages = counts.reduce(0, +)
        guard visitor.enters(treeOf: pages, isNamed: tree.kind == .named), record.depth > 0 else { return }
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

    /// Visits what an entry of a leaf leads to.
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

    /// Reads a list of free pages: how many there are, then each.
    private func free(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ visitor: some PageVisitor
    ) throws(StorageError) {
        guard key.count == 8, value.count >= 8, value.number(at: 0, as: UInt64.self) == UInt64(value.count / 8 - 1)
        else { throw .corrupt("\(path): its list of free pages is damaged", at: nil) }
        try visitor.frees(
            UnsafeRawBufferPointer(rebasing: value[8..<value.count / 8 * 8]), by: key.number(at: 0, as: UInt64.self))
    }

    private func isInOrder(_ page: TreePage, _ tree: Tree, _ bounds: Bounds) -> Bool {
        // The first key of a branch is never looked at.
        let first = page.isBranch ? 1 : 0
        guard page.count > first else { return tree.kind == .free && page.count > 0 }
        if let lower = bounds.lower, precedes(page.key(first), lower, tree) { return false }
        for index in first + 1..<max(page.count, first + 1)
        where !precedes(page.key(index - 1), page.key(index), tree) { return false }
        return bounds.upper.map { precedes(page.key(page.count - 1), $0, tree) } ?? true
    }

    private func precedes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer, _ tree: Tree) -> Bool {
        guard tree.kind == .free else { return left.precedes(right) }
        guard left.count == 8, right.count == 8 else { return false }
        return left.number(at: 0, as: UInt64.self) < right.number(at: 0, as: UInt64.self)
    }

    private func checkRange(_ page: UInt64, _ count: UInt64, _ bounds: Bounds) throws(StorageError) {
        guard page >= 2, page <= meta.lastPage, count <= meta.lastPage - page + 1 else { throw damaged(page, bounds) }
    }

    private func read(_ page: UInt64, _ count: Int, into level: Int) throws(StorageError) -> UnsafeRawBufferPointer {
        // Both were compared with the last page, which the file has.
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

    /// Keys of eight bytes are positions of the log: what a page should hold begins with them.
    private func damaged(_ page: UInt64, _ bounds: Bounds = Bounds()) -> StorageError {
        let first = bounds.lower.flatMap { $0.count == 8 ? UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) : nil }
        return .corrupt(
            "\(path) is damaged: its page \(page) is not one that was written there", at: first.map(Position.init))
    }
}
