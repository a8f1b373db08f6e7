import CXXHash
import Glibc
import StoryCore
import StoryStorage

/// The checksums of the stored models' pages in use, in a file of their folder.
///
/// LMDB's pages have no checksums, so a reader of the models does not notice a damaged page. After each commit the
/// checksums of the pages that it freed are removed and those of its new pages are added. A page is verified before its
/// first use (`ProvenPages`).
///
/// `magic 8 · transaction of the newest commit 8 · XXH3-64 of its first page 8 · 0 · XXH3-64 of the 56 bytes before 8`,
/// then 8 bytes for each page of the file: XXH3-64 of the page, seeded with its number; 0 where it is not in use.
struct PageChecksums {
    static let headSize = 64
    static let magic = Array("stkpages".utf8)
    /// The number of new pages that room is reserved for before a commit.
    static let room: UInt64 = 1 << 15

    /// The path of the models' environment.
    let models: String

    var path: String { models + "/checksums" }
    var data: String { models + "/data.mdb" }
    /// A file that exists once damage was found; its text says which.
    private var suspicion: String { models + "/damaged" }

    init(models path: String) { models = path }

    /// Returns the error for a page that does not match its checksum.
    func damaged(_ page: UInt64) -> StorageError {
        .corrupt("page \(page) of \(data) is not the one that was written", at: nil)
    }

    /// Has the next start fold the models again. Without the file, which a full disk may have no room for, the damage
    /// is found again.
    func suspect(_ damage: StorageError) {
        guard case .corrupt = damage, let file = try? FileHandle(suspicion, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
        else { return }
        try? file.write(Array("\(damage)".utf8), to: suspicion)
    }

    /// Verifies the pages that LMDB reads when it opens the models: its list of free pages and its main tree.
    ///
    /// - Returns: the number of pages that were read.
    /// - Throws: `.corrupt` where a page is not as it was written, or damage was found before.
    func begin() throws(StorageError) -> Int {
        if Folder.exists(suspicion) {
            let text = try FileHandle(suspicion, O_RDONLY | O_NOFOLLOW).read(1_024, at: 0, of: suspicion)
            throw .corrupt(text.isEmpty ? "damage was found in them" : String(decoding: text, as: UTF8.self), at: nil)
        }
        // A process may have been killed before it could add its newest commit's checksums.
        try complete()
        let walk = try PageWalk(data)
        return try verifyFirst(walk, PageCheck(self, pageSize: walk.meta.pageSize))
    }

    /// Verifies the pages that LMDB reads before it changes anything: its newest first page, its list of free pages and its
    /// main tree.
    ///
    /// - Returns: the number of pages that were read.
    /// - Throws: `.corrupt` where a page is not as it was written.
    func verifyFirst(_ walk: PageWalk, _ check: PageCheck) throws(StorageError) -> Int {
        guard try check.file.head(path) == ChecksumHead(walk.meta) else {
            throw .corrupt("the checksums of their pages are of another commit", at: nil)
        }
        let first = FirstPages(check)
        try walk.run(first)
        return first.count
    }

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
    private func complete() throws(StorageError) {
        let walk = try PageWalk(data)
        guard Folder.exists(path) else { throw .corrupt("there are no checksums of their pages", at: nil) }
        let file = try open()
        guard let known = try file.head(path) else { throw .corrupt("there are no checksums of their pages", at: nil) }
        guard known.transaction != walk.meta.transaction else { return }
        guard known.transaction + 1 == walk.meta.transaction else {
            throw .corrupt("the checksums of their pages are of another commit", at: nil)
        }
        try take(walk, file, nil, isProven: false)
    }

    /// Writes the checksums that the newest commit changed.
    ///
    /// The head is written last, and is durable before the next commit can be, so the checksums are never more than one
    /// commit behind.
    func take(
        _ walk: PageWalk, _ file: borrowing ChecksumFile, _ pages: ProvenPages?, isProven: Bool
    ) throws(StorageError) {
        try file.grow(to: walk.meta.lastPage + 1, path)
        let update = ChecksumUpdate(
            walk, path, pages, isProven: isProven, try file.read(pages: walk.meta.lastPage + 1, path))
        try walk.run(update)
        try file.write(update.changed, of: update.sums, path)
        try file.file.sync(path)
        try file.write(ChecksumHead(walk.meta), path)
        try file.file.sync(path)
    }

    /// Opens the file; a new one gets a durable name, since without it the models would be folded again.
    func open() throws(StorageError) -> ChecksumFile {
        let isNew = !Folder.exists(path)
        let file = try FileHandle(path, O_RDWR | O_CREAT | O_NOFOLLOW)
        if isNew { try Folder.sync(Folder.parent(of: path)) }
        return ChecksumFile(file: file)
    }
}

/// A visitor of one commit's pages that collects their checksums.
private final class ChecksumUpdate: PageVisitor {
    let wantsValues = true
    private(set) var sums: [UInt64]
    /// The pages whose checksums changed.
    private(set) var changed: Set<Int> = []
    private let walk: PageWalk
    private var meta: MetaPage { walk.meta }
    private let path: String
    /// True when pages that have a checksum are known to be as they were written, or are verified before their use.
    private let isProven: Bool
    private let pages: ProvenPages?

    init(_ walk: PageWalk, _ path: String, _ pages: ProvenPages?, isProven: Bool, _ sums: [UInt64]) {
        self.pages = pages
        self.walk = walk
        self.path = path
        self.isProven = isProven
        self.sums = sums
    }

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
            pages?.insert(number, checksum: sum)
        }
    }

    /// Removes the checksums of freed pages. They are compared before, whenever that was done last: the commit has copied
    /// what they had, and snapshots of earlier commits still have them.
    func frees(_ freed: UnsafeRawBufferPointer, by transaction: UInt64) throws(StorageError) {
        guard transaction == meta.transaction else { return }
        for index in 0..<freed.count / 8 {
            let page = freed.number(at: 8 * index, as: UInt64.self)
            guard page <= meta.lastPage, sums[Int(page)] != 0 else { continue }
            try prove(freed: page)
            set(Int(page), 0)
        }
    }

    private func prove(freed page: UInt64) throws(StorageError) {
        guard let pages else { return }
        guard let bytes = walk.mapped(page) else { return try pages.prove(page) }
        try pages.proveAgain(page, bytes)
    }

    private func set(_ page: Int, _ sum: UInt64) {
        guard sums[page] != sum else { return }
        sums[page] = sum
        changed.insert(page)
    }
}

/// A visitor that verifies the list of free pages and the main tree, and skips the tables.
private final class FirstPages: PageVisitor {
    let wantsTables = false
    private(set) var count = 0
    private let check: PageCheck

    init(_ check: PageCheck) { self.check = check }

    func enters(_ page: UInt64, _ count: UInt64) throws(StorageError) -> Bool {
        for number in page..<page + count { try check.run(number) }
        self.count += Int(count)
        return true
    }
}
