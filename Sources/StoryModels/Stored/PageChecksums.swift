import CXXHash
import Glibc
import StoryCore
import StoryStorage
import Synchronization

/// A checksum for each page of the stored models that is in use, in a file beside them.
///
/// LMDB's pages have none of their own, and what is wrong on one is found by nobody who reads models. After each commit
/// the checksums of the pages that it freed are removed and those of its new pages are added; before LMDB opens the
/// models, every page is held against its own.
///
/// `magic 8 · transaction of the newest commit 8 · XXH3-64 of its first page 8 · 0 · XXH3-64 of the 56 bytes before 8`,
/// then 8 bytes for each page of the file: XXH3-64 of the page, seeded with its number; 0 where it is not in use.
struct PageChecksums {
    static let headSize = 64
    static let magic = Array("stkpages".utf8)
    /// So many new pages are made room for before a commit.
    fileprivate static let room: UInt64 = 1 << 15

    /// Where the models' environment is.
    let models: String

    var path: String { models + ".checksums" }
    fileprivate var data: String { models + "/data.mdb" }

    init(models path: String) { models = path }

    func remove() { unlink(path) }

    /// The checksum of a page; never 0.
    static func of(_ page: UnsafeRawBufferPointer, number: UInt64) -> UInt64 {
        let sum = xxhi_64(page.baseAddress, page.count, number)
        return sum == 0 ? 1 : sum
    }

    /// Takes up what the newest commit changed, where nobody has proven the models yet. The last update may have broken
    /// off anywhere: so every page is visited, and those with a checksum are held against it.
    ///
    /// - Throws: `.corrupt` where more than one commit is not known, or a page is not as it was written.
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

    /// What says that all of it is there is written last, and is on the disk before the next commit may be: so the
    /// checksums are never more than one commit behind.
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

    /// Makes the file where there is none, and its name durable: without it the models would be folded anew.
    fileprivate func open() throws(StorageError) -> ChecksumFile {
        let isNew = !Folder.exists(path)
        let file = try FileHandle(path, O_RDWR | O_CREAT | O_NOFOLLOW)
        if isNew { try Folder.sync(Folder.parent(of: path)) }
        return ChecksumFile(file: file)
    }
}

/// The checksums of stored models that are open for writing. The files are held open, so that a checkpoint needs no
/// descriptor that there may not be.
final class KeptChecksums: Sendable {
    private let checksums: PageChecksums
    let file: ChecksumFile
    let data: SharedFile
    /// True where an update failed: some of the checksums may be written, of a page and not of those below it.
    private let isPartial = Atomic(false)

    /// - Throws: when the system refuses to open the files.
    init(models path: String) throws(StorageError) {
        checksums = PageChecksums(models: path)
        file = try checksums.open()
        data = try SharedFile(checksums.data, O_RDONLY | O_NOFOLLOW)
    }

    /// Sees to it that the file has room for what the next commit may use.
    ///
    /// - Throws: `.full` where the disk has none.
    func reserve(pages: UInt64) throws(StorageError) {
        try file.grow(to: pages + PageChecksums.room, checksums.path)
    }

    /// Takes up what the newest commit changed; nothing happens where it is known. Where more than one commit is not
    /// known, all pages are taken as they are: whoever commits has opened models that were proven.
    ///
    /// - Throws: what reading the pages or writing their checksums failed with.
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

/// What the file of checksums says of itself.
struct ChecksumHead: Equatable {
    let transaction: UInt64
    /// XXH3-64 of the first page of the commit.
    let meta: UInt64

    init(_ meta: MetaPage) {
        transaction = meta.transaction
        self.meta = meta.bytes.withBytes { XXH3_64bits($0.baseAddress, $0.count) }
    }

    /// Nil when the bytes are no head.
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

/// The file of checksums, open.
struct ChecksumFile: ~Copyable {
    /// Checksums that lie so near are written with what is between them.
    private static let near = 512

    let file: FileHandle

    /// Nil where nothing was written yet.
    ///
    /// - Throws: `.corrupt` where it is not what was written.
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

    /// Forgets them all.
    func clear(_ path: String) throws(StorageError) {
        guard ftruncate(file.descriptor, 0) == 0 else { throw SystemError.from(errno, "clearing \(path)") }
    }

    /// The checksums of so many pages, from the first one on.
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

    /// Writes the checksums that changed, those that lie near one another at once.
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

/// Notes the pages of one commit.
private final class ChecksumUpdate: PageVisitor {
    let wantsValues = true
    private(set) var sums: [UInt64]
    /// The pages whose checksums are others now.
    private(set) var changed: Set<Int> = []
    private let meta: MetaPage
    private let path: String
    /// Whether pages that have a checksum are known to be as they were written.
    private let isProven: Bool

    init(_ meta: MetaPage, _ path: String, isProven: Bool, _ sums: [UInt64]) {
        self.meta = meta
        self.path = path
        self.isProven = isProven
        self.sums = sums
    }

    func enters(treeOf pages: UInt64, isNamed: Bool) -> Bool { true }

    /// A page that has a checksum is older than the commit, and so is all that is below it.
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
