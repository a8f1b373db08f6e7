import StoryCore
import StoryStorage
import Synchronization

/// The checksums of stored models that are open for writing.
final class KeptChecksums: Sendable {
    let check: PageCheck
    /// The pages that were verified, or written by this process.
    let pages: ProvenPages
    /// The first damage that was found.
    private let found = Mutex<StorageError?>(nil)
    private let isFound = Atomic(false)
    /// True after a failed update: a page may have its checksum, and pages below it may lack theirs.
    private let isPartial = Atomic(false)

    /// Opens the files.
    ///
    /// - Throws: when the system refuses to open the files.
    init(of environment: Environment) throws(StorageError) {
        let check = try PageCheck(PageChecksums(models: environment.path), pageSize: environment.pageSize)
        self.check = check
        let pages = environment.mapSize / environment.pageSize
        self.pages = try ProvenPages(pages: pages, checksum: { PageChecksums.of($0, number: $1) }) {
            (page) throws(StorageError) in try check.run(page)
        }
    }

    /// The first damage that was found in the models; nil while there is none.
    var damage: StorageError? { isFound.load(ordering: .relaxed) ? found.withLock { $0 } : nil }

    /// Notes damage; on any thread. The models are replaced, or the next start folds them again.
    func keep(_ damage: StorageError) {
        guard case .corrupt = damage else { return }
        found.withLock { $0 = $0 ?? damage }
        isFound.store(true, ordering: .relaxed)
        check.suspect(damage)
    }

    /// Compares the pages that LMDB reads before each change, as they are now; the file has the checksums of the newest
    /// commit.
    ///
    /// - Throws: `.corrupt` where one is not as it was written.
    func proveFirst() throws(StorageError) {
        _ = try check.checksums.verifyFirst(PageWalk(check.checksums.data, open: check.data), check)
    }

    /// Reserves file space for the checksums that the next commit may add.
    ///
    /// - Throws: `.full` where the disk has none.
    func reserve(pages: UInt64) throws(StorageError) {
        try check.file.grow(to: pages + PageChecksums.room, check.checksums.path)
    }

    /// Applies the newest commit's page changes; does nothing when the file has them already.
    ///
    /// New models have no checksums yet: their pages are taken as they are.
    ///
    /// - Throws: any error of reading the pages or writing their checksums.
    func update() throws(StorageError) {
        let checksums = check.checksums
        let walk = try PageWalk(checksums.data, open: check.data, isMapped: true)
        let known = try check.file.head(checksums.path)
        guard known?.transaction != walk.meta.transaction else { return }
        if let known, known.transaction + 1 != walk.meta.transaction {
            throw .corrupt("\(checksums.path) is of another commit", at: nil)
        }
        let isProven = !isPartial.exchange(true, ordering: .relaxed)
        try checksums.take(walk, check.file, pages, isProven: isProven)
        isPartial.store(false, ordering: .relaxed)
    }
}
