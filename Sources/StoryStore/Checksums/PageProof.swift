import Glibc
import StoryCore
import StoryStorage

/// The verification of every page of the stored models against its checksum.
///
/// It reads the file itself, so that a read failure of the disk is an error and does not end the process.
struct PageProof {
    /// The number of bytes that are read at once.
    fileprivate static let piece = 1 << 20
    /// Fewer pages than this are not worth a second thread.
    private static let share = 4_096
    private static let mostThreads = 4

    private let checksums: PageChecksums
    private let data: SharedFile
    private let pageSize: Int

    /// Verifies the pages while they may be written.
    ///
    /// The caller must hold a view of them meanwhile, so that no page with a checksum is overwritten before the
    /// checksum is removed.
    ///
    /// - Throws: `.corrupt` where a page is not the one that was written, or has no checksum.
    static func runBeside(_ models: String) throws(StorageError) {
        let checksums = PageChecksums(models: models)
        let data = try SharedFile(checksums.data, O_RDONLY | O_NOFOLLOW)
        guard Folder.exists(checksums.path) else {
            throw .corrupt("there are no checksums of the models' pages", at: nil)
        }
        try run(checksums, data, ChecksumFile(file: try FileHandle(checksums.path, O_RDONLY | O_NOFOLLOW)))
    }

    /// Verifies the pages through files that are open already, since there may be no free descriptors.
    ///
    /// - Parameter whenDamaged: receives each damaged page.
    /// - Throws: as the other.
    static func runBeside(_ kept: PageCheck, whenDamaged: (UInt64) -> Void) throws(StorageError) {
        try run(kept.checksums, kept.data, kept.file, whenDamaged)
    }

    private static func run(
        _ checksums: PageChecksums, _ data: SharedFile, _ file: borrowing ChecksumFile,
        _ whenDamaged: (UInt64) -> Void = { _ in }
    ) throws(StorageError) {
        let (models, path) = (checksums.models, checksums.path)
        let walk = try PageWalk(checksums.data, open: data)
        guard let head = try file.head(path) else { throw .corrupt("\(path) is of another commit", at: nil) }
        let sums = try file.read(pages: walk.meta.lastPage + 1, path)
        try PageProof(checksums: checksums, data: data, pageSize: walk.meta.pageSize).check(sums, file, whenDamaged)
        // Checksums are written after their commit: without another one, these are those of the pages in use.
        guard head == ChecksumHead(walk.meta), try MetaPage.newest(data.handle, models) == walk.meta else { return }
        let count = PageCount()
        try walk.run(count)
        guard count.pages == sums.count(where: { $0 != 0 }) else {
            throw .corrupt("pages of \(models) have no checksum", at: nil)
        }
    }

    private func check(
        _ sums: [UInt64], _ file: borrowing ChecksumFile, _ whenDamaged: (UInt64) -> Void
    ) throws(StorageError) {
        var first: UInt64?
        for page in try differing(from: sums) {
            // The page may have been freed after its checksum was read.
            let bytes = try file.file.read(8, at: PageChecksums.headSize + 8 * page, of: checksums.path)
            if bytes.count == 8, bytes.number(at: 0, as: UInt64.self) != sums[page] { continue }
            whenDamaged(UInt64(page))
            first = first ?? UInt64(page)
        }
        if let first { throw checksums.damaged(first) }
    }

    /// Returns the pages that do not match their checksums.
    private func differing(from sums: [UInt64]) throws(StorageError) -> [Int] {
        let processors = min(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1), PageProof.mostThreads)
        let threads = min(processors, sums.count / PageProof.share + 1)
        let each = (sums.count + threads - 1) / threads
        let others = (1..<max(threads, 1)).map { thread in
            BackgroundJob(
                on: .helpers,
                { () throws(StorageError) in
                    try differing(from: sums, in: thread * each..<min((thread + 1) * each, sums.count))
                }, whenDone: {})
        }
        let first = Result { () throws(StorageError) in try differing(from: sums, in: 0..<min(each, sums.count)) }
        var pages: [Int] = []
        for result in [first] + others.map({ $0.wait() }) { pages += try result.get() }
        return pages
    }

    private func differing(from sums: [UInt64], in range: Range<Int>) throws(StorageError) -> [Int] {
        guard !range.isEmpty else { return [] }
        var differing: [Int] = []
        let reader = try PageReader(data, checksums.data, bytes: sums.count * pageSize)
        let step = PageProof.piece / pageSize
        for start in stride(from: range.lowerBound, to: range.upperBound, by: step) {
            let pages = start..<min(start + step, range.upperBound)
            guard sums[pages].contains(where: { $0 != 0 }) else { continue }
            let bytes = try reader.read(pages.count * pageSize, at: start * pageSize)
            for page in pages where sums[page] != 0 {
                let offset = (page - start) * pageSize
                if offset + pageSize <= bytes.count,
                    PageChecksums.of(bytes.slice(offset, count: pageSize), number: UInt64(page)) == sums[page]
                {
                    continue
                }
                differing.append(page)
            }
        }
        return differing
    }
}

/// A reader of a file in pieces: from a map where the system can say that a whole piece is readable, which saves a
/// copy, otherwise by `read`, so that an unreadable page is an error.
private final class PageReader {
    /// `MADV_POPULATE_READ`, of Linux 5.14 and later.
    private static let populate: Int32 = 22

    let path: String
    private let file: SharedFile
    private let size: Int
    private let map: UnsafeMutableRawPointer?
    private var buffer: UnsafeMutableRawBufferPointer?

    init(_ file: SharedFile, _ path: String, bytes: Int) throws(StorageError) {
        self.file = file
        self.path = path
        size = try min(bytes, file.handle.size(path))
        let mapped = mmap(nil, max(size, 1), PROT_READ, MAP_SHARED, file.handle.descriptor, 0)
        map = mapped == MAP_FAILED ? nil : mapped
    }

    deinit {
        if let map { munmap(map, max(size, 1)) }
        buffer?.deallocate()
    }

    /// Returns up to the given number of bytes from an offset on, a multiple of the page size; valid until the next
    /// call.
    ///
    /// - Throws: `.corrupt` where the disk cannot read them.
    func read(_ count: Int, at offset: Int) throws(StorageError) -> UnsafeRawBufferPointer {
        let count = max(min(count, size - offset), 0)
        if let map, count > 0, madvise(map + offset, count, PageReader.populate) == 0 {
            return UnsafeRawBufferPointer(start: map + offset, count: count)
        }
        let target = buffer ?? .allocate(byteCount: PageProof.piece, alignment: 4_096)
        buffer = target
        let done = try file.handle.read(
            into: UnsafeMutableRawBufferPointer(rebasing: target[..<count]), at: offset, of: path)
        return UnsafeRawBufferPointer(rebasing: target[..<done])
    }
}

/// A visitor that counts the pages of a commit.
private final class PageCount: PageVisitor {
    private(set) var pages = 0

    // Each page is counted, as the checksums are made: a tree's own count also has the pages that LMDB leaves behind a
    // value which was made shorter in its transaction, and these have no checksum.
    func enters(_ page: UInt64, _ count: UInt64) -> Bool {
        pages += Int(count)
        return true
    }
}
