import StoryStorage
import CXXHash
import StoryCore

/// The first 48 bytes of a block, little-endian; behind them 4 bytes for each record: where in the block it begins.
///
/// `layout 4 · how many records 4 · first position 8 · time of the first record 8 · time of the last 8 · bytes of the
/// block 4 · zero 4 · XXH3-64 of the 40 bytes before, seeded with that of the table, which is seeded with the first
/// position 8`.
package struct BlockHeader: Equatable {
    static let size = 48
    /// The layout that this program writes, and the only one that it reads.
    static let layout: UInt32 = 1
    /// The most bytes a block of more than one record has: with LMDB's header they fill sixteen pages.
    static let largest = 65_520
    /// What a block has beside its records and their offsets.
    package static let overhead = BlockHeader.size + Seal.size

    package let count: Int
    package let first: UInt64
    let firstTime: Int64
    let lastTime: Int64
    /// The bytes of the block with everything.
    let byteCount: Int

    package init(count: Int, first: UInt64, firstTime: Int64, lastTime: Int64, byteCount: Int) {
        self.count = count
        self.first = first
        self.firstTime = firstTime
        self.lastTime = lastTime
        self.byteCount = byteCount
    }
}

extension BlockHeader {
    /// Reads a block's header; nil unless every byte of it and of the table is as it was written.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= BlockHeader.overhead, bytes.number(at: 0, as: UInt32.self) == BlockHeader.layout else {
            return nil
        }
        count = Int(bytes.number(at: 4, as: UInt32.self))
        first = bytes.number(at: 8, as: UInt64.self)
        firstTime = bytes.number(at: 16, as: Int64.self)
        lastTime = bytes.number(at: 24, as: Int64.self)
        byteCount = Int(bytes.number(at: 32, as: UInt32.self))
        guard byteCount == bytes.count, count > 0, count <= (byteCount - BlockHeader.overhead) / 4,
            Position.isRun(first, count), checksum(bytes) == bytes.number(at: 40, as: UInt64.self)
        else { return nil }
    }

    /// Where the records begin: behind the table.
    var recordsStart: Int { BlockHeader.size + 4 * count }
    package var last: UInt64 { first + UInt64(count) - 1 }

    /// The block's records; nil for a buffer without memory.
    package func run(_ bytes: UnsafeRawBufferPointer) -> RecordRun? {
        guard let base = bytes.baseAddress else { return nil }
        return RecordRun(
            first: first, count: count, base: base, offsets: base + BlockHeader.size,
            bounds: recordsStart..<byteCount - Seal.size)
    }

    /// The seal at the block's end.
    package func seal(_ bytes: UnsafeRawBufferPointer) -> Seal { Seal(bytes: Array(bytes[(byteCount - Seal.size)...])) }

    /// Writes the header before a table that is there already.
    package func write(to target: UnsafeMutableRawPointer) {
        target.put(BlockHeader.layout, at: 0)
        target.put(UInt32(count), at: 4)
        target.put(first, at: 8)
        target.put(firstTime, at: 16)
        target.put(lastTime, at: 24)
        target.put(UInt32(byteCount), at: 32)
        target.put(UInt32(0), at: 36)
        target.put(checksum(UnsafeRawBufferPointer(start: target, count: byteCount)), at: 40)
    }

    private func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        let table = UnsafeRawBufferPointer(rebasing: bytes[BlockHeader.size..<recordsStart])
        return xxhi_64(bytes.baseAddress, 40, xxhi_64(table.baseAddress, table.count, first))
    }
}
