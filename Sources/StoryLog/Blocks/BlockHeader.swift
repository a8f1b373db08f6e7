import StoryStorage
import CXXHash
import StoryCore

/// The header of a block: its first 48 bytes, little-endian. A table follows, 4 bytes a record: its offset in the
/// block.
///
/// `layout 4 · record count 4 · first position 8 · time of the first record 8 · time of the last record 8 · size of the
/// block in bytes 4 · zero 4 · checksum 8`. The checksum is the XXH3-64 of the 40 bytes before it, seeded with the
/// XXH3-64 of the table, which is seeded with the first position.
package struct BlockHeader: Equatable {
    static let size = 48
    /// The layout that this program writes, and the only one that it reads.
    static let layout: UInt32 = 1
    /// The largest size of a block of more than one record, in bytes: with LMDB's page header it fills sixteen pages.
    static let largest = 65_520
    /// The bytes of a block besides its records and their offsets.
    package static let overhead = BlockHeader.size + Seal.size

    /// The number of records.
    package let count: Int
    /// The position of the first record.
    package let first: UInt64
    let firstTime: Int64
    let lastTime: Int64
    /// The size of the whole block, in bytes.
    let byteCount: Int

    /// Makes a header from its fields.
    package init(count: Int, first: UInt64, firstTime: Int64, lastTime: Int64, byteCount: Int) {
        self.count = count
        self.first = first
        self.firstTime = firstTime
        self.lastTime = lastTime
        self.byteCount = byteCount
    }
}

extension BlockHeader {
    /// Reads a block's header; nil if it or the table is damaged, or the layout is unknown.
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

    /// The offset of the first record, after the table.
    var recordsStart: Int { BlockHeader.size + 4 * count }
    /// The position of the last record.
    package var last: UInt64 { first + UInt64(count) - 1 }

    /// Returns the block's records, valid as long as `bytes`; nil if the buffer has no memory.
    package func run(_ bytes: UnsafeRawBufferPointer) -> RecordRun? {
        guard let base = bytes.baseAddress else { return nil }
        return RecordRun(
            first: first, count: count, base: base, offsets: base + BlockHeader.size,
            bounds: recordsStart..<byteCount - Seal.size)
    }

    /// Returns the seal at the block's end.
    package func seal(_ bytes: UnsafeRawBufferPointer) -> Seal { Seal(bytes: Array(bytes[(byteCount - Seal.size)...])) }

    /// Writes the header; the table after it must be complete, since the checksum covers it.
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
