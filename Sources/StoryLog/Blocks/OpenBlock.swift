import StoryStorage
import StoryCore

/// The records in memory that a block will be made of: what the journal holds, laid out for reading.
///
/// Unchecked: one thread appends. Others read only records that were there when they got hold of it; those do not
/// move or change.
package final class OpenBlock: @unchecked Sendable {
    /// The fewest bytes that a record takes with its entry in the table.
    private static let leastRecord = RecordHeader.size + RecordHeader.saltSize + 4
    private static let mostRecords = BlockHeader.largest / leastRecord

    /// The position of its first record.
    let first: UInt64
    private(set) var count = 0
    private var used = 0
    private let bytes: UnsafeMutableRawPointer
    private let offsets: UnsafeMutablePointer<UInt32>

    /// - Parameter firstCount: the bytes of its first record, which may be more than a block has room for.
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

    /// True when a block has room for one more record of so many bytes.
    @inline(__always)
    func hasRoom(for record: Int) -> Bool {
        count == 0 || BlockHeader.overhead + 4 * (count + 1) + used + record <= BlockHeader.largest
    }

    /// The bytes of its records from one position on, which it holds.
    func byteCount(from position: UInt64) -> Int {
        used - Int(UInt32(littleEndian: offsets[Int(position - first)]))
    }

    /// Where the next record goes, which `added` counts once it is written.
    package var target: UnsafeMutableRawPointer { bytes + used }

    /// Counts a record that was written to `target`.
    @inline(__always)
    package func added(_ record: Int) {
        offsets[count] = UInt32(used).littleEndian
        used += record
        count += 1
    }

    /// Forgets the records from a position on.
    func remove(from position: UInt64) {
        guard position < end else { return }
        let index = Int(max(position, first) - first)
        used = Int(UInt32(littleEndian: offsets[index]))
        count = index
    }

    /// The records from one position through another, both of which it holds.
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
