import Glibc

/// A table of zeros that takes memory only where it is touched, in huge pages when the system has them.
///
/// The table of a long log is touched everywhere, and thousands of small pages would cost more than the writes
/// themselves. Unchecked `Sendable`: its owner defines which thread may touch which elements, and when.
final class ZeroedTable<Element: BitwiseCopyable>: @unchecked Sendable {
    let elements: UnsafeMutablePointer<Element>
    private let byteCount: Int

    /// Maps the table; nil when there is not enough memory.
    init?(count: Int) {
        byteCount = max(1, count) * MemoryLayout<Element>.stride
        let mapped = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let mapped, mapped != MAP_FAILED else { return nil }
        // When this fails, small pages are used.
        madvise(mapped, byteCount, MADV_HUGEPAGE)
        elements = mapped.bindMemory(to: Element.self, capacity: count)
    }

    deinit { munmap(elements, byteCount) }
}
