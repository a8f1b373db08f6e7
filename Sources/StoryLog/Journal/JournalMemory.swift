import StoryStorage
package import StoryCore

/// The records that are not in blocks yet: what the journal holds, and what the turn under way has appended.
package struct JournalMemory {
    private(set) var blocks: [OpenBlock] = []
    /// The first position that counts; those before it are flushed, even where their memory is still there.
    private(set) var first: UInt64

    package init(after flushed: Position) { first = flushed.value + 1 }

    /// Where the next record goes, in a block that has room for it.
    package mutating func block(for position: UInt64, _ byteCount: Int) -> OpenBlock {
        if let last = blocks.last, last.hasRoom(for: byteCount) { return last }
        let block = OpenBlock(first: position, firstCount: byteCount)
        blocks.append(block)
        return block
    }

    /// The records around a position that is held.
    @inline(__always)
    package func run(at position: UInt64) -> RecordRun {
        let last = blocks.count - 1
        let block = blocks[blocks[last].first <= position ? last : index(of: position)]
        return block.run(from: max(block.first, first), through: block.end - 1)
    }

    /// Which block has a position that is held: a long journal has thousands of them.
    private func index(of position: UInt64) -> Int {
        var (lower, upper) = (0, blocks.count - 1)
        while lower < upper {
            let middle = (lower + upper + 1) / 2
            if blocks[middle].first <= position { lower = middle } else { upper = middle - 1 }
        }
        return lower
    }

    /// The records from one position through another, block by block.
    package func sections(from lower: UInt64, through upper: UInt64) -> [BlockSection] {
        let start = max(lower, first)
        return blocks.compactMap { block in
            let (from, through) = (max(block.first, start), min(block.end - 1, upper))
            return from <= through ? BlockSection(block, from: from, through: through) : nil
        }
    }

    /// The bytes of the records behind a position.
    func byteCount(after position: UInt64) -> Int {
        var count = 0
        for block in blocks.reversed() {
            guard block.end > position + 1 else { break }
            count += block.byteCount(from: max(block.first, position + 1))
        }
        return count
    }

    /// The last position of the last block that has no more room; nil when there is none that counts.
    var lastFull: UInt64? {
        guard blocks.count > 1, let last = blocks.last, last.first > first else { return nil }
        return last.first - 1
    }

    /// Forgets the records behind a position.
    mutating func remove(after position: Position) {
        while let last = blocks.last, last.end - 1 > position.value {
            last.remove(from: position.value + 1)
            guard last.count == 0 else { return }
            blocks.removeLast()
        }
    }

    /// Lets go of what is in blocks now.
    mutating func flushed(through position: Position) {
        first = position.value + 1
        blocks.removeAll { $0.end <= first }
    }
}
