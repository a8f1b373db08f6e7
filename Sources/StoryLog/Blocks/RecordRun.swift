import StoryStorage
package import StoryCore

/// A view of consecutive records, in a block of the memory map or in memory, with the table of their offsets.
///
/// A run of the map is valid until the reading ends, a run of an `OpenBlock` as long as that.
package struct RecordRun {
    /// The position of its first record.
    package let first: UInt64
    /// The number of records.
    package let count: Int
    let base: UnsafeRawPointer
    /// The table, 4 bytes a record: its offset from `base`.
    let offsets: UnsafeRawPointer
    /// The range of all records, as offsets from `base`.
    let bounds: Range<Int>

    /// The position of its last record.
    package var last: UInt64 { first + UInt64(count) - 1 }

    /// The bytes of all records, in order.
    package var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base + bounds.lowerBound, count: bounds.count)
    }

    @inline(__always)
    func holds(_ position: UInt64) -> Bool { position >= first && position - first < UInt64(count) }

    /// Returns the bytes of a record that the run holds.
    ///
    /// - Throws: `.corrupt` if the table points outside the run.
    @inline(__always)
    package func record(at position: UInt64) throws(StorageError) -> UnsafeRawBufferPointer {
        let index = Int(position - first)
        let start = offset(index)
        let end = index + 1 < count ? offset(index + 1) : bounds.upperBound
        guard start >= bounds.lowerBound, start < end, end <= bounds.upperBound else {
            throw Record.damaged(position, "is not where its block says")
        }
        return UnsafeRawBufferPointer(start: base + start, count: end - start)
    }

    /// Prefetches the table entry of a position.
    @inline(__always)
    func prefetchEntry(of position: UInt64) { (offsets + 4 * Int(position - first)).prefetch(4) }

    /// Prefetches up to `count` bytes of the beginning of a record; its table entry should be in the cache.
    @inline(__always)
    func prefetchRecord(at position: UInt64, _ count: Int) {
        let start = offset(Int(position - first))
        if bounds.contains(start) { (base + start).prefetch(min(bounds.upperBound - start, count)) }
    }

    @inline(__always)
    private func offset(_ index: Int) -> Int {
        Int(UInt32(littleEndian: offsets.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)))
    }
}
