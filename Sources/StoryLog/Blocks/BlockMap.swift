import StoryStorage
import StoryCore

/// An index of the blocks of a log: the first position of each, and its address in the memory map once it was found.
///
/// A block on overflow pages of its own never moves and is never changed, so its address is cached for good. A block
/// that is small enough for a leaf page moves with that page, so it is looked up for each reading.
///
/// Unchecked: one thread uses it at a time.
final class BlockMap: @unchecked Sendable {
    /// The cached address of a block.
    private struct Slot {
        /// 0: not known.
        var address: UInt = 0
        var byteCount = 0
    }

    private let pageSize: Int
    /// The first position of each block, in order.
    private var starts: [UInt64]
    private var slots: [Slot]
    /// The last position of the last block; 0 if there is none.
    private(set) var last: UInt64

    init(pageSize: Int) {
        self.pageSize = pageSize
        (starts, slots, last) = ([], [], 0)
    }

    /// Copies the index, so that another thread may use it.
    init(_ other: BlockMap) {
        pageSize = other.pageSize
        (starts, slots, last) = (other.starts, other.slots, other.last)
    }

    var count: Int { starts.count }

    /// Adds the blocks that are not in the index yet. Reads and checks only the header of the last block, and returns it
    /// with the block; nil if there are no blocks.
    ///
    /// - Throws: `.corrupt` if a key is no position, a known block is missing, or the header of the last block is
    ///   damaged.
    func update(
        _ transaction: borrowing ReadTransaction
    ) throws(StorageError) -> (header: BlockHeader, bytes: UnsafeRawBufferPointer)? {
        try transaction.withCursor(in: .main) { (cursor) throws(StorageError) in try addStarts(with: cursor) }
        guard let first = starts.last else { return nil }
        let (header, bytes) = try find(first, transaction)
        last = header.last
        return (header, bytes)
    }

    private func addStarts(with cursor: borrowing Cursor) throws(StorageError) {
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
    }

    /// Adds blocks that were just stored.
    func append(_ firsts: [UInt64], through last: UInt64) {
        starts += firsts
        slots += firsts.map { _ in Slot() }
        self.last = last
    }

    /// Returns the index of the block that holds a position between 1 and `last`.
    @inline(__always)
    func index(of position: UInt64) -> Int {
        // Blocks hold about the same number of records each, so the first guess is close.
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

    /// Returns the block's records at the cached address; nil if none is cached.
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

    /// Looks up a block and checks its header; the records are valid until the transaction ends.
    ///
    /// - Throws: `.corrupt` if the block is missing or damaged.
    func find(_ index: Int, in transaction: borrowing ReadTransaction) throws(StorageError) -> RecordRun {
        let first = starts[index]
        let (header, bytes) = try find(first, transaction)
        guard header.last + 1 == end(index), let run = header.run(bytes), let base = bytes.baseAddress else {
            throw Record.damaged(header.last + 1, "is in no block, or in two")
        }
        // A value right after a page header has that page, and those that follow, for itself.
        let address = UInt(bitPattern: base)
        if address % UInt(pageSize) == 16 { slots[index] = Slot(address: address, byteCount: bytes.count) }
        return run
    }

    /// Returns the first position after a block.
    @inline(__always)
    private func end(_ index: Int) -> UInt64 { index + 1 < starts.count ? starts[index + 1] : last + 1 }

    private func find(
        _ first: UInt64, _ transaction: borrowing ReadTransaction
    ) throws(StorageError) -> (BlockHeader, UnsafeRawBufferPointer) {
        let found = try PositionKey.with(first) { (key) throws(StorageError) in
            try transaction.value(in: .main, at: key)
        }
        guard let found else { throw Record.damaged(first, "is missing") }
        return (try BlockMap.header(found, first), found)
    }

    /// Returns the header of the block that has to begin at a position.
    ///
    /// - Throws: `.corrupt` if the header is damaged, or begins at another position.
    static func header(_ bytes: UnsafeRawBufferPointer, _ first: UInt64) throws(StorageError) -> BlockHeader {
        guard let header = BlockHeader(bytes), header.first == first else {
            throw Record.damaged(first, "is in a block whose header does not match its checksum")
        }
        return header
    }
}
