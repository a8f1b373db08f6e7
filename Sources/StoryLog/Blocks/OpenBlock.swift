import StoryStorage
import StoryCore

/// An append-only buffer in memory for the records of a future block, laid out for reading.
///
/// Unchecked: one thread appends. Other threads read only records that were appended before they got the block; those
/// do not move or change.
package final class OpenBlock: @unchecked Sendable {
    /// The smallest size of a record with its entry in the table, in bytes.
    private static let leastRecord = RecordLayout.least + 4
    private static let mostRecords = BlockHeader.largest / leastRecord

    /// The position of its first record.
    let first: UInt64
    private(set) var count = 0
    private var used = 0
    private let bytes: UnsafeMutableRawPointer
    private let offsets: UnsafeMutablePointer<UInt32>

    /// Allocates the buffer.
    ///
    /// - Parameter firstCount: the size of the first record in bytes, which may exceed the room of a block.
    init(first: UInt64, firstCount: Int) {
        self.first = first
        bytes = .allocate(
            byteCount: max(BlockHeader.largest - BlockHeader.overhead, firstCount), alignment: 16)
        offsets = .allocate(capacity: OpenBlock.mostRecords)
    }

    deinit {
        bytes.deallocate()
        offsets.deallocate()
    }

    /// The position of the next record.
    var end: UInt64 { first + UInt64(count) }

    /// Returns true if there is room for one more record of the given number of bytes; the first one always fits.
    @inline(__always)
    func hasRoom(for record: Int) -> Bool {
        count == 0 || BlockHeader.overhead + 4 * (count + 1) + used + record <= BlockHeader.largest
    }

    /// Returns the size in bytes of the records from a position on, which the block must hold.
    func byteCount(from position: UInt64) -> Int {
        used - Int(UInt32(littleEndian: offsets[Int(position - first)]))
    }

    /// The address for the next record; call `added` once it is written.
    package var target: UnsafeMutableRawPointer { bytes + used }

    /// Counts a record of the given number of bytes that was written to `target`.
    @inline(__always)
    package func added(_ record: Int) {
        offsets[count] = UInt32(used).littleEndian
        used += record
        count += 1
    }

    /// Removes the records from a position on.
    func remove(from position: UInt64) {
        guard position < end else { return }
        let index = Int(max(position, first) - first)
        used = Int(UInt32(littleEndian: offsets[index]))
        count = index
    }

    /// Returns the records from `lower` through `upper`, both of which it must hold; they are valid as long as the
    /// block.
    func run(from lower: UInt64, through upper: UInt64) -> RecordRun {
        let index = Int(lower - first)
        let start = Int(UInt32(littleEndian: offsets[index]))
        let next = Int(upper - first) + 1
        let end = next < count ? Int(UInt32(littleEndian: offsets[next])) : used
        return RecordRun(
            first: lower, count: next - index, base: UnsafeRawPointer(bytes), offsets: offsets + index,
            bounds: start..<end)
    }
}
