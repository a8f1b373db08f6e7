import Glibc

/// How the C library gets memory from the system, and gives it back.
///
/// As it comes, the library keeps what was freed for later: what many slow clients needed at one moment, the process
/// would hold for good. Other C libraries do without these functions.
enum Allocator {
    /// Blocks of so many bytes are the system's own, and go back to it when they are freed.
    private static let largeBlock: Int32 = 1 << 20
    /// `M_MMAP_THRESHOLD` of <malloc.h>, which Swift does not take from C.
    private static let threshold: Int32 = -3

    /// Lets large blocks go back to the system when they are freed.
    static func returnLargeBlocks() {
        guard let symbol = dlsym(nil, "mallopt") else { return }
        let mallopt = unsafeBitCast(symbol, to: (@convention(c) (Int32, Int32) -> Int32).self)
        _ = mallopt(threshold, largeBlock)
    }

    /// Gives back the pages of smaller blocks that were freed: some milliseconds for 64 MiB.
    static func returnFreedPages() {
        guard let symbol = dlsym(nil, "malloc_trim") else { return }
        let trim = unsafeBitCast(symbol, to: (@convention(c) (Int) -> Int32).self)
        _ = trim(0)
    }
}
