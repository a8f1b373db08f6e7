import Glibc

/// How the C library gets memory from the system.
enum Allocator {
    /// Blocks of so many bytes are the system's own, and go back to it when they are freed.
    private static let largeBlock: Int32 = 1 << 20
    /// `M_MMAP_THRESHOLD` of <malloc.h>, which Swift does not take from C.
    private static let threshold: Int32 = -3

    /// Lets large blocks go back to the system when they are freed.
    ///
    /// As it comes, the library keeps them for later once the first was freed: what many slow clients needed at one
    /// moment, the process would hold for good. Other C libraries do without such a function.
    static func returnLargeBlocks() {
        guard let symbol = dlsym(nil, "mallopt") else { return }
        let mallopt = unsafeBitCast(symbol, to: (@convention(c) (Int32, Int32) -> Int32).self)
        _ = mallopt(threshold, largeBlock)
    }
}
