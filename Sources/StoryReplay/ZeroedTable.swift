import Glibc

/// A table of zeros that takes memory only where it is used, in large pages where the system has them: a long log's
/// table is touched everywhere, and thousands of small pages cost more than what is written there.
///
/// Unchecked: whoever shares it says who may touch what when.
final class ZeroedTable<Element: BitwiseCopyable>: @unchecked Sendable {
    let elements: UnsafeMutablePointer<Element>
    private let byteCount: Int

    /// Nil when there is no memory.
    init?(count: Int) {
        byteCount = max(1, count) * MemoryLayout<Element>.stride
        let mapped = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let mapped, mapped != MAP_FAILED else { return nil }
        // Without them small pages do.
        madvise(mapped, byteCount, MADV_HUGEPAGE)
        elements = mapped.bindMemory(to: Element.self, capacity: count)
    }

    deinit { munmap(elements, byteCount) }
}
