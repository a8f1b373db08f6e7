import StoryStorage
import CLMDB
package import StoryCore

/// Records that stand one behind the other, in a block of the map or in memory, with the table of where each begins.
///
/// The bytes belong to the map or to an `OpenBlock`; who keeps a run has to keep those.
package struct RecordRun {
    /// The position of its first record.
    package let first: UInt64
    package let count: Int
    private let base: UnsafeRawPointer
    /// 4 bytes a record: where it begins, counted from `base`.
    private let offsets: UnsafeRawPointer
    /// Between these all its records lie.
    private let bounds: Range<Int>

    init(first: UInt64, count: Int, base: UnsafeRawPointer, offsets: UnsafeRawPointer, bounds: Range<Int>) {
        self.first = first
        self.count = count
        self.base = base
        self.offsets = offsets
        self.bounds = bounds
    }

    package var last: UInt64 { first + UInt64(count) - 1 }

    /// All its records, one behind the other.
    package var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base + bounds.lowerBound, count: bounds.count)
    }

    @inline(__always)
    func holds(_ position: UInt64) -> Bool { position >= first && position - first < UInt64(count) }

    /// The bytes of a record that the run holds.
    ///
    /// - Throws: `.corrupt` where the table leads out of the run.
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

    /// Asks the processor for the table's entry of a position.
    @inline(__always)
    func prefetchEntry(of position: UInt64) { clm_prefetch(offsets + 4 * Int(position - first), 4) }

    /// Asks the processor for so many of the first bytes of a record whose entry in the table is there.
    @inline(__always)
    func prefetchRecord(at position: UInt64, _ count: Int) {
        let start = offset(Int(position - first))
        if bounds.contains(start) { clm_prefetch(base + start, min(bounds.upperBound - start, count)) }
    }

    @inline(__always)
    private func offset(_ index: Int) -> Int {
        Int(UInt32(littleEndian: offsets.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)))
    }
}
