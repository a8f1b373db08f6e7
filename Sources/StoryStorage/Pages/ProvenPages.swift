import Glibc
package import StoryCore
import Synchronization

/// The set of the pages of an environment that this process has compared with their checksums, with a bit for each.
///
/// The bytes of a page are compared at its first use: a damaged page is an error of the read that needs it. A search that
/// a write rests on compares the pages again (`proveAgain`), since memory and disks change bytes later as well. Several
/// threads may use the set.
package final class ProvenPages: @unchecked Sendable {
    // Unchecked: the words are atomic, and everything else is constant.

    /// Compares a page of the file with its checksum, and returns that; throws `.corrupt` if they differ.
    package typealias Comparison = @Sendable (_ page: UInt64) throws(StorageError) -> UInt64
    /// Returns the checksum of the bytes of a page.
    package typealias Checksum = @Sendable (_ bytes: UnsafeRawBufferPointer, _ page: UInt64) -> UInt64

    private let words: UnsafeMutablePointer<Atomic<UInt64>>
    private let bytes: Int
    private let compare: Comparison
    private let checksum: Checksum
    private let comparisons = Atomic(0)
    /// The checksums of the pages that were added, so that a later comparison needs no system call.
    private let known: KnownChecksums
    /// The turn of the loop, from 1 on; 0 where nobody counts them.
    private let turn = Atomic<UInt64>(0)
    /// Pages that were compared again, each with the turn in which that was, in a table by the low bits of their numbers.
    private let proven: UnsafeMutablePointer<Atomic<UInt64>>
    /// The number of slots of that table, a power of two.
    private static let slots: UInt64 = 1 << 10

    /// Makes an empty set.
    ///
    /// - Parameters:
    ///   - pages: the number of pages that fit into the map. Memory is used for those alone that are added.
    /// - Throws: `.failed` if there is no address space for the bits.
    package init(
        pages: Int, checksum: @escaping Checksum, comparedBy compare: @escaping Comparison
    ) throws(StorageError) {
        bytes = pages / 8 + 8
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
        guard let map = mmap(nil, bytes, PROT_READ | PROT_WRITE, flags, -1, 0), map != MAP_FAILED else {
            throw SystemError.from(errno, "making room for a bit a page")
        }
        words = map.bindMemory(to: Atomic<UInt64>.self, capacity: bytes / 8)
        self.compare = compare
        self.checksum = checksum
        known = KnownChecksums(pages: pages)
        proven = .allocate(capacity: Int(ProvenPages.slots))
        for slot in 0..<Int(ProvenPages.slots) { (proven + slot).initialize(to: Atomic(0)) }
    }

    deinit {
        munmap(words, bytes)
        proven.deallocate()
    }

    /// The number of pages that were compared.
    package var count: Int { comparisons.load(ordering: .relaxed) }

    /// Returns true for a page that needs no comparison any more; the page must be inside the map.
    @inline(__always)
    func contains(_ page: UInt64) -> Bool {
        words[Int(page / 64)].load(ordering: .acquiring) & (1 << (page % 64)) != 0
    }

    /// Adds a page that this process has just written, with its checksum.
    package func insert(_ page: UInt64, checksum: UInt64) {
        known.set(checksum, of: page)
        words[Int(page / 64)].bitwiseOr(1 << (page % 64), ordering: .releasing)
    }

    /// Has a page compared again before its next use; on any thread.
    package func remove(_ page: UInt64) {
        words[Int(page / 64)].bitwiseAnd(~(1 << (page % 64)), ordering: .releasing)
    }

    /// Compares a page with its checksum, unless that was done before.
    ///
    /// - Throws: `.corrupt` if they differ.
    package func prove(_ page: UInt64) throws(StorageError) {
        guard !contains(page) else { return }
        let sum: UInt64
        do throws(StorageError) {
            sum = try compare(page)
        } catch {
            // A commit removes the checksums of the pages that it freed, which other threads may still read; it proves
            // them first.
            if contains(page) { return }
            throw error
        }
        insert(page, checksum: sum)
        comparisons.add(1, ordering: .relaxed)
    }

    /// Compares the bytes of a page, as they are in memory now, with its checksum, whenever that was done before.
    ///
    /// - Throws: `.corrupt` if they differ; then each use of the page fails from now on.
    package func proveAgain(_ page: UInt64, _ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        guard known.checksum(of: page) != checksum(bytes, page) else { return }
        remove(page)
        try prove(page)
    }

    /// Begins a turn of the loop: each page that a write rests on is compared again.
    package func nextTurn() { turn.add(1, ordering: .relaxed) }

    /// Compares the bytes of a page as `proveAgain` does, unless that was done in this turn: all writes of a turn rest on
    /// the same few pages at the top of a tree.
    ///
    /// - Throws: as `proveAgain`.
    @inline(__always)
    func proveInTurn(_ page: UInt64, _ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        let (turn, slot) = (turn.load(ordering: .relaxed), Int(page & (ProvenPages.slots - 1)))
        // 32 bits of each: a map has fewer pages, and a turn that comes again does so after weeks.
        let mark = turn << 32 | page
        guard turn == 0 || proven[slot].load(ordering: .relaxed) != mark else { return }
        try proveAgain(page, bytes)
        proven[slot].store(mark, ordering: .relaxed)
    }
}

/// The checksums of pages by their numbers, in memory that grows with the parts of the file that are used.
///
/// Several threads may read and set them.
final class KnownChecksums: @unchecked Sendable {
    // Unchecked: the words are atomic, and everything else is constant.

    private typealias Words = UnsafeMutablePointer<Atomic<UInt64>>

    /// The number of pages whose checksums are allocated together.
    private static let pagesOfPart = 1 << 12

    /// The addresses of the parts; 0 for a part that no page was set in.
    private let parts: UnsafeMutablePointer<Atomic<UInt>>
    private let count: Int

    /// Makes room for the checksums of `pages` pages; memory is used for those parts alone that are set.
    init(pages: Int) {
        count = pages / KnownChecksums.pagesOfPart + 1
        parts = .allocate(capacity: count)
        for part in 0..<count { (parts + part).initialize(to: Atomic(0)) }
    }

    deinit {
        for part in 0..<count { Words(bitPattern: parts[part].load(ordering: .relaxed))?.deallocate() }
        parts.deallocate()
    }

    /// Returns the checksum of a page; 0 where none was set.
    @inline(__always)
    func checksum(of page: UInt64) -> UInt64 {
        let part = parts[Int(page) / KnownChecksums.pagesOfPart].load(ordering: .acquiring)
        guard let words = Words(bitPattern: part) else { return 0 }
        return words[Int(page) % KnownChecksums.pagesOfPart].load(ordering: .acquiring)
    }

    /// Sets the checksum of a page, which must be inside the map.
    func set(_ checksum: UInt64, of page: UInt64) {
        let (part, index) = (Int(page) / KnownChecksums.pagesOfPart, Int(page) % KnownChecksums.pagesOfPart)
        let words = Words(bitPattern: parts[part].load(ordering: .acquiring)) ?? added(part)
        words[index].store(checksum, ordering: .releasing)
    }

    /// Returns a new part, or that which another thread has added meanwhile.
    private func added(_ part: Int) -> Words {
        let new = Words.allocate(capacity: KnownChecksums.pagesOfPart)
        for index in 0..<KnownChecksums.pagesOfPart { (new + index).initialize(to: Atomic(0)) }
        let (isAdded, found) = parts[part].compareExchange(
            expected: 0, desired: UInt(bitPattern: new), ordering: .acquiringAndReleasing)
        guard !isAdded, let other = Words(bitPattern: found) else { return new }
        new.deallocate()
        return other
    }
}
