import StoryStorage
package import StoryCore

/// The records in memory that are not in blocks yet: those of the journal, and those that the turn under way has
/// appended.
package struct JournalMemory {
    private(set) var blocks: [OpenBlock] = []
    /// The first position that is not flushed; earlier records may still be in memory.
    private(set) var first: UInt64

    /// Makes an empty memory for the records after a position.
    package init(after flushed: Position) { first = flushed.value + 1 }

    /// Returns a block that has room for the next record; adds one if need be.
    package mutating func block(for position: UInt64, _ byteCount: Int) -> OpenBlock {
        if let last = blocks.last, last.hasRoom(for: byteCount) { return last }
        let block = OpenBlock(first: position, firstCount: byteCount)
        blocks.append(block)
        return block
    }

    /// Returns the records around a position, which must be in memory.
    @inline(__always)
    package func run(at position: UInt64) -> RecordRun {
        let last = blocks.count - 1
        let block = blocks[blocks[last].first <= position ? last : index(of: position)]
        return block.run(from: max(block.first, first), through: block.end - 1)
    }

    /// Returns the index of the block with a position, by binary search, since a long journal has thousands of blocks.
    private func index(of position: UInt64) -> Int {
        (1..<blocks.count).partitionPoint { blocks[$0].first <= position } - 1
    }

    /// Returns the records from `lower` through `upper`, block by block.
    package func sections(from lower: UInt64, through upper: UInt64) -> [BlockSection] {
        let start = max(lower, first)
        return blocks.compactMap { block in
            let (from, through) = (max(block.first, start), min(block.end - 1, upper))
            return from <= through ? BlockSection(block, from: from, through: through) : nil
        }
    }

    /// Returns the size of the records after a position, in bytes.
    func byteCount(after position: UInt64) -> Int {
        var count = 0
        for block in blocks.reversed() {
            guard block.end > position + 1 else { break }
            count += block.byteCount(from: max(block.first, position + 1))
        }
        return count
    }

    /// The last position of the last full block; nil if no block that is not flushed is full.
    var lastFull: UInt64? {
        guard blocks.count > 1, let last = blocks.last, last.first > first else { return nil }
        return last.first - 1
    }

    /// Removes the records after a position.
    mutating func remove(after position: Position) {
        while let last = blocks.last, last.end - 1 > position.value {
            last.remove(from: position.value + 1)
            guard last.count == 0 else { return }
            blocks.removeLast()
        }
    }

    /// Marks the records through a position as flushed, and releases the blocks that have no other ones.
    mutating func flushed(through position: Position) {
        first = position.value + 1
        blocks.removeAll { $0.end <= first }
    }
}
