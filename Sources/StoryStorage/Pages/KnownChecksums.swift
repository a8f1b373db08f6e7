import Glibc
import Synchronization

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
