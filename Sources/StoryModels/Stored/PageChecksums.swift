import CXXHash
import Glibc
import StoryCore
import StoryStorage
import Synchronization

/// The checksums of the stored models' pages in use, in a file beside them.
///
/// LMDB's pages have no checksums, so a reader of the models does not notice a damaged page. After each commit the
/// checksums of the pages that it freed are removed and those of its new pages are added; before LMDB opens the models,
/// every page is verified.
///
/// `magic 8 · transaction of the newest commit 8 · XXH3-64 of its first page 8 · 0 · XXH3-64 of the 56 bytes before 8`,
/// then 8 bytes for each page of the file: XXH3-64 of the page, seeded with its number; 0 where it is not in use.
struct PageChecksums {
    static let headSize = 64
    static let magic = Array("stkpages".utf8)
    /// The number of new pages that room is reserved for before a commit.
    fileprivate static let room: UInt64 = 1 << 15

    /// The path of the models' environment.
    let models: String

    var path: String { models + ".checksums" }
    fileprivate var data: String { models + "/data.mdb" }

    init(models path: String) { models = path }

    func remove() { unlink(path) }

    /// Returns the checksum of a page; never 0.
    static func of(_ page: UnsafeRawBufferPointer, number: UInt64) -> UInt64 {
        let sum = xxhi_64(page.baseAddress, page.count, number)
        return sum == 0 ? 1 : sum
    }

    /// Applies the newest commit's page changes to the checksum file, before verification.
    ///
    /// The last update may have been interrupted anywhere, so every page is visited, and those with a checksum are
    /// verified.
    ///
    /// - Throws: `.corrupt` where the file is more than one commit behind, or a page is not as it was written.
    func complete() throws(StorageError) {
        let walk = try PageWalk(data)
        guard Folder.exists(path) else { throw .corrupt("there are no checksums of their pages", at: nil) }
        let file = try open()
        guard let known = try file.head(path) else { throw .corrupt("there are no checksums of their pages", at: nil) }
        guard known.transaction != walk.meta.transaction else { return }
        guard known.transaction + 1 == walk.meta.transaction else {
            throw .corrupt("the checksums of their pages are of another commit", at: nil)
        }
        try take(walk, file, isProven: false)
    }

    /// Writes the checksums that the newest commit changed.
    ///
    /// The head is written last, and is durable before the next commit can be, so the checksums are never more than one
    /// commit behind.
    fileprivate func take(_ walk: PageWalk, _ file: borrowing ChecksumFile, isProven: Bool) throws(StorageError) {
        try file.grow(to: walk.meta.lastPage + 1, path)
        let update = ChecksumUpdate(
            walk.meta, path, isProven: isProven, try file.read(pages: walk.meta.lastPage + 1, path))
        try walk.run(update)
        try file.write(update.changed, of: update.sums, path)
        try file.file.sync(path)
        try file.write(ChecksumHead(walk.meta), path)
        try file.file.sync(path)
    }

    /// Opens the file; a new one gets a durable name, since without it the models would be folded again.
    fileprivate func open() throws(StorageError) -> ChecksumFile {
        let isNew = !Folder.exists(path)
        let file = try FileHandle(path, O_RDWR | O_CREAT | O_NOFOLLOW)
        if isNew { try Folder.sync(Folder.parent(of: path)) }
        return ChecksumFile(file: file)
    }
}

/// The checksums of stored models that are open for writing; the files stay open, so that a checkpoint needs no free
/// descriptor.
final class KeptChecksums: Sendable {
    private let checksums: PageChecksums
    let file: ChecksumFile
    let data: SharedFile
    /// True after a failed update: a page may have its checksum, and pages below it may lack theirs.
    private let isPartial = Atomic(false)

    /// Opens the files.
    ///
    /// - Throws: when the system refuses to open the files.
    init(models path: String) throws(StorageError) {
        checksums = PageChecksums(models: path)
        file = try checksums.open()
        data = try SharedFile(checksums.data, O_RDONLY | O_NOFOLLOW)
    }

    /// Reserves file space for the checksums that the next commit may add.
    ///
    /// - Throws: `.full` where the disk has none.
    func reserve(pages: UInt64) throws(StorageError) {
        try file.grow(to: pages + PageChecksums.room, checksums.path)
    }

    /// Applies the newest commit's page changes; does nothing when the file has them already.
    ///
    /// Where the file is more than one commit behind, all pages are taken as they are, since models are verified before
    /// they are opened for commits.
    ///
    /// - Throws: any error of reading the pages or writing their checksums.
    func update() throws(StorageError) {
        let walk = try PageWalk(checksums.data, open: data, isMapped: true)
        let known = try file.head(checksums.path)
        guard known?.transaction != walk.meta.transaction else { return }
        if let known, known.transaction + 1 != walk.meta.transaction { try file.clear(checksums.path) }
        let isProven = !isPartial.exchange(true, ordering: .relaxed)
        try checksums.take(walk, file, isProven: isProven)
        isPartial.store(false, ordering: .relaxed)
    }
}

/// The head of the checksum file.
struct ChecksumHead: Equatable {
    let transaction: UInt64
    /// The XXH3-64 of the first page of the commit.
    let meta: UInt64

    init(_ meta: MetaPage) {
        transaction = meta.transaction
        self.meta = meta.bytes.withBytes { XXH3_64bits($0.baseAddress, $0.count) }
    }

    /// Parses a head; nil when the bytes are not one.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == PageChecksums.headSize, bytes.starts(with: PageChecksums.magic),
            ChecksumHead.checksum(bytes) == bytes.number(at: 56, as: UInt64.self)
        else { return nil }
        transaction = bytes.number(at: 8, as: UInt64.self)
        meta = bytes.number(at: 16, as: UInt64.self)
    }

    var bytes: [UInt8] {
        var bytes = PageChecksums.magic
        bytes.append(littleEndian: transaction)
        bytes.append(littleEndian: meta)
        bytes += [UInt8](repeating: 0, count: 56 - bytes.count)
        bytes.append(littleEndian: ChecksumHead.checksum(bytes))
        return bytes
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt64 { bytes.withBytes { XXH3_64bits($0.baseAddress, 56) } }
}

/// The open checksum file.
struct ChecksumFile: ~Copyable {
    /// The largest distance, in checksums, between changed ones that are written at once with those between them.
    private static let near = 512

    let file: FileHandle

    /// Reads the head; returns nil where nothing was written yet.
    ///
    /// - Throws: `.corrupt` where the head is damaged.
    func head(_ path: String) throws(StorageError) -> ChecksumHead? {
        let bytes = try file.read(PageChecksums.headSize, at: 0, of: path)
        if let head = ChecksumHead(bytes) { return head }
        guard bytes.allSatisfy({ $0 == 0 }) else { throw .corrupt("\(path) is damaged", at: nil) }
        return nil
    }

    func grow(to pages: UInt64, _ path: String) throws(StorageError) {
        let size = Int(try file.status(path).st_size)
        let needed = PageChecksums.headSize + 8 * Int(pages)
        guard size < needed else { return }
        let code = posix_fallocate(file.descriptor, off_t(size), off_t(needed - size))
        guard code == 0 else { throw SystemError.from(code, "making room in \(path)") }
    }

    /// Removes all checksums.
    func clear(_ path: String) throws(StorageError) {
        guard ftruncate(file.descriptor, 0) == 0 else { throw SystemError.from(errno, "clearing \(path)") }
    }

    /// Reads the checksums of the given number of pages, from the first page on.
    ///
    /// - Throws: `.corrupt` where the file has fewer.
    func read(pages: UInt64, _ path: String) throws(StorageError) -> [UInt64] {
        var sums = [UInt64](repeating: 0, count: Int(pages))
        let result = sums.withUnsafeMutableBytes { (target) -> Result<Bool, StorageError> in
            Result { () throws(StorageError) in
                try file.read(into: target, at: PageChecksums.headSize, of: path) == target.count
            }
        }
        guard try result.get() else { throw .corrupt("\(path) was cut short", at: nil) }
        for page in sums.indices { sums[page] = UInt64(littleEndian: sums[page]) }
        return sums
    }

    /// Writes the checksums that changed; those near each other are written at once.
    func write(_ changed: Set<Int>, of sums: [UInt64], _ path: String) throws(StorageError) {
        var pages = changed.sorted()[...]
        while let first = pages.first {
            var last = first
            while let next = pages.first, next - last <= ChecksumFile.near { last = pages.removeFirst() }
            var bytes: [UInt8] = []
            for sum in sums[first...last] { bytes.append(littleEndian: sum) }
            try file.write(bytes, at: PageChecksums.headSize + 8 * first, to: path)
        }
    }

    func write(_ head: ChecksumHead, _ path: String) throws(StorageError) { try file.write(head.bytes, to: path) }
}

/// A visitor of one commit's pages that collects their checksums.
private final class ChecksumUpdate: PageVisitor {
    let wantsValues = true
    private(set) var sums: [UInt64]
    /// The pages whose checksums changed.
    private(set) var changed: Set<Int> = []
    private let meta: MetaPage
    private let path: String
    /// True when pages that have a checksum are known to be as they were written.
    private let isProven: Bool

    init(_ meta: MetaPage, _ path: String, isProven: Bool, _ sums: [UInt64]) {
        self.meta = meta
        self.path = path
        self.isProven = isProven
        self.sums = sums
    }

    func enters(treeOf pages: UInt64, isNamed: Bool) -> Bool { true }

    /// Skips proven pages that have a checksum: they are older than the commit, and so is everything below them.
    func enters(_ page: UInt64, _ count: UInt64) -> Bool { !isProven || sums[Int(page)] == 0 }

    func leaves(_ page: UInt64, _ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        for index in 0..<bytes.count / meta.pageSize {
            let number = page + UInt64(index)
            let sum = PageChecksums.of(bytes.slice(index * meta.pageSize, count: meta.pageSize), number: number)
            guard isProven || sums[Int(number)] == 0 || sums[Int(number)] == sum else {
                throw .corrupt("page \(number) beside \(path) is not the one that was written", at: nil)
            }
            set(Int(number), sum)
        }
    }

    func frees(_ pages: UnsafeRawBufferPointer, by transaction: UInt64) {
        guard transaction == meta.transaction else { return }
        for index in 0..<pages.count / 8 {
            let page = pages.number(at: 8 * index, as: UInt64.self)
            if page <= meta.lastPage { set(Int(page), 0) }
        }
    }

    private func set(_ page: Int, _ sum: UInt64) {
        guard sums[page] != sum else { return }
        sums[page] = sum
        changed.insert(page)
    }
}
