import StoryStorage
import StoryCore

/// Where the blocks of a log begin, and where in the map they were found.
///
/// A block that has pages of its own never moves and is never changed, so its address is remembered for good. One that
/// is small enough to lie on a leaf moves with it; that one is looked up for each reading.
///
/// Unchecked: one thread uses it at a time.
final class BlockMap: @unchecked Sendable {
    private struct Slot {
        /// 0: not known.
        var address: UInt = 0
        var byteCount = 0
    }

    private let pageSize: Int
    /// The first position of each block, in order.
    @exclusivity(unchecked) private var starts: [UInt64]
    @exclusivity(unchecked) private var slots: [Slot]
    /// The last position of the last block; 0 when there is none.
    @exclusivity(unchecked) private(set) var last: UInt64

    init(pageSize: Int) {
        self.pageSize = pageSize
        (starts, slots, last) = ([], [], 0)
    }

    /// A copy that another thread may use.
    init(_ other: BlockMap) {
        pageSize = other.pageSize
        (starts, slots, last) = (other.starts, other.slots, other.last)
    }

    var count: Int { starts.count }

    /// Takes up the blocks that it does not know yet, without a look at any but the last; that one's header is checked.
    ///
    /// - Throws: `.corrupt` where a key is no position or the last block is not as it was written.
    func update(_ transaction: OpaquePointer) throws(StorageError) -> BlockHeader? {
        let cursor = try Cursor(transaction, .main)
        let known = starts.last ?? 0
        var key = try PositionKey.with(known) { (key) throws(StorageError) in try cursor.find(key)?.key }
        guard key != nil else { throw .corrupt("the log has no header, or lost a block", at: Position(known)) }
        key = try cursor.nextKey()
        while let found = key {
            guard let start = PositionKey.position(found), start > (starts.last ?? 0) else {
                throw .corrupt("the log holds a key that is no position", at: nil)
            }
            starts.append(start)
            slots.append(Slot())
            key = try cursor.nextKey()
        }
        guard let first = starts.last else { return nil }
        let (header, _) = try find(first, transaction)
        last = header.last
        return header
    }

    /// Takes up blocks that were just stored.
    func append(_ firsts: [UInt64], through last: UInt64) {
        starts += firsts
        slots += firsts.map { _ in Slot() }
        self.last = last
    }

    /// Which block holds a position between 1 and `last`.
    @inline(__always)
    func index(of position: UInt64) -> Int {
        // Blocks hold about as many records each, so the first guess is near.
        var lower = 0
        var upper = starts.count
        let guess = Int(Double(position) / Double(last + 1) * Double(upper))
        var step = 1
        if starts[guess] <= position {
            lower = guess
            while lower + step < upper, starts[lower + step] <= position {
                lower += step
                step *= 2
            }
            upper = min(upper, lower + step)
        } else {
            upper = guess
            while upper - step > 0, starts[upper - step] > position {
                upper -= step
                step *= 2
            }
            lower = max(0, upper - step)
        }
        while upper - lower > 1 {
            let middle = (lower + upper) / 2
            if starts[middle] <= position { lower = middle } else { upper = middle }
        }
        return lower
    }

    /// The block's records where it was found before; nil where that is not known.
    @inline(__always)
    func known(_ index: Int) -> RecordRun? {
        let slot = slots[index]
        guard let base = UnsafeRawPointer(bitPattern: slot.address) else { return nil }
        let first = starts[index]
        let count = Int(end(index) - first)
        return RecordRun(
            first: first, count: count, base: base, offsets: base + BlockHeader.size,
            bounds: BlockHeader.size + 4 * count..<slot.byteCount - Seal.size)
    }

    /// Looks a block up and checks its header; its records live as long as the transaction.
    ///
    /// - Throws: `.corrupt` where it is not as it was written.
    func find(_ index: Int, in transaction: OpaquePointer) throws(StorageError) -> RecordRun {
        let first = starts[index]
        let (header, bytes) = try find(first, transaction)
        guard header.last + 1 == end(index), let run = header.run(bytes), let base = bytes.baseAddress else {
            throw Record.damaged(header.last + 1, "is in no block, or in two")
        }
        // A value behind the header of a page has that page, and those that follow, for itself.
        let address = UInt(bitPattern: base)
        if address % UInt(pageSize) == 16 { slots[index] = Slot(address: address, byteCount: bytes.count) }
        return run
    }

    /// The first position behind a block.
    @inline(__always)
    private func end(_ index: Int) -> UInt64 { index + 1 < starts.count ? starts[index + 1] : last + 1 }

    private func find(
        _ first: UInt64, _ transaction: OpaquePointer
    ) throws(StorageError) -> (BlockHeader, UnsafeRawBufferPointer) {
        let found = try PositionKey.with(first) { (key) throws(StorageError) in
            try Lookup.value(transaction, .main, key)
        }
        guard let found else { throw Record.damaged(first, "is missing") }
        return (try BlockMap.header(found, first), found)
    }

    /// The header of a block that has to begin at a position.
    ///
    /// - Throws: `.corrupt` where it is not as it was written.
    static func header(_ bytes: UnsafeRawBufferPointer, _ first: UInt64) throws(StorageError) -> BlockHeader {
        guard let header = BlockHeader(bytes), header.first == first else {
            throw Record.damaged(first, "is in a block whose header does not match its checksum")
        }
        return header
    }
}
