import CLMDB

extension UnsafeRawPointer {
    /// Prefetches the cache lines of `count` bytes, at most eight of them.
    package func prefetch(_ count: Int) { clm_prefetch(self, count) }
}
