import Glibc

/// How the C library gets memory from the system, and gives it back.
///
/// As it comes, the library keeps what was freed for later: what many slow clients needed at one moment, the process
/// would hold for good. Other C libraries do without these functions.
enum Allocator {
    /// Blocks of so many bytes are the system's own, and go back to it when they are freed.
    private static let largeBlock: Int32 = 1 << 20
    /// So many bytes are kept for the next who asks: what a flush of half a journal takes, which comes fifty times a
    /// second. Asking the system for it page by page took as long as to hash what is flushed.
    private static let kept: Int32 = 4 << 20
    /// `M_MMAP_THRESHOLD` and `M_TRIM_THRESHOLD` of <malloc.h>, which Swift does not take from C.
    private static let (mapThreshold, trimThreshold): (Int32, Int32) = (-3, -1)

    /// Lets large blocks go back to the system when they are freed, and smaller ones where many are free.
    static func returnLargeBlocks() {
        guard let symbol = dlsym(nil, "mallopt") else { return }
        let mallopt = unsafeBitCast(symbol, to: (@convention(c) (Int32, Int32) -> Int32).self)
        _ = mallopt(mapThreshold, largeBlock)
        _ = mallopt(trimThreshold, kept)
    }

    /// Gives back the pages of smaller blocks that were freed: some milliseconds for 64 MiB.
    static func returnFreedPages() {
        guard let symbol = dlsym(nil, "malloc_trim") else { return }
        let trim = unsafeBitCast(symbol, to: (@convention(c) (Int) -> Int32).self)
        _ = trim(0)
    }
}
