import Glibc

/// The settings of the C library's allocator.
///
/// By default the allocator keeps freed memory for later: the peak that many slow clients once needed would stay with
/// the process. The functions are looked up at run time, since other C libraries lack them.
enum Allocator {
    /// Blocks of at least this size, in bytes, are mapped one by one, and are returned to the system when they are
    /// freed.
    private static let largeBlock: Int32 = 1 << 20
    /// The free memory that the allocator keeps, in bytes: enough for a flush of half a journal, up to fifty times a
    /// second. Getting it from the system page by page took as long as hashing the flushed bytes.
    private static let kept: Int32 = 4 << 20
    /// `M_MMAP_THRESHOLD` and `M_TRIM_THRESHOLD` of <malloc.h>, which Swift does not import.
    private static let (mapThreshold, trimThreshold): (Int32, Int32) = (-3, -1)

    /// Makes the allocator return large blocks when they are freed, and smaller ones where more than `kept` bytes are
    /// free.
    static func returnLargeBlocks() {
        guard let symbol = dlsym(nil, "mallopt") else { return }
        let mallopt = unsafeBitCast(symbol, to: (@convention(c) (Int32, Int32) -> Int32).self)
        _ = mallopt(mapThreshold, largeBlock)
        _ = mallopt(trimThreshold, kept)
    }

    /// Returns the free pages between smaller blocks to the system; takes some milliseconds for 64 MiB.
    static func returnFreedPages() {
        guard let symbol = dlsym(nil, "malloc_trim") else { return }
        let trim = unsafeBitCast(symbol, to: (@convention(c) (Int) -> Int32).self)
        _ = trim(0)
    }
}

/// The memory that connections and declared models used and gave up, which tells when to return freed memory to the system.
struct FreedMemory {
    /// The peak of connections, and the sum of what models gave up, from which on memory is returned, in bytes; less is
    /// kept for later.
    private static let kept = 16 << 20

    /// The most memory that connections used since it was last returned, in bytes.
    private var most = 0
    /// The memory of memtables that were freed since then, in bytes.
    private var ofModels = 0

    /// Updates the peak with the bytes that connections use now.
    mutating func saw(_ bytes: Int) { most = max(most, bytes) }

    /// Counts bytes of memtables that were freed.
    mutating func modelsGaveUp(_ bytes: Int) { ofModels += bytes }

    /// Returns true, once, where half of the peak or more is free again, or much was freed by models; `held`: the bytes that
    /// connections use now.
    mutating func isMostFree(beside held: Int) -> Bool {
        saw(held)
        guard most >= FreedMemory.kept && held <= most / 2 || ofModels >= FreedMemory.kept else { return false }
        (most, ofModels) = (held, 0)
        return true
    }
}
