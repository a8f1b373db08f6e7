package import StoryCore
import StoryStorage

/// A reader of the seals of a log: computes the seal at a position from that of the block before.
///
/// It may run on any one thread while the log is appended to and read on another. The log must stay open.
package struct SealReader: Sendable {
    let environment: Environment
    /// The events that are being erased, whose records may be torn.
    let mask: ErasureMask
    /// The records that are not in blocks.
    let tail: [BlockSection]
    /// The ID of the log that the history began in.
    let root: [UInt8]

    /// Returns the seal at a position; zero: the one that the first record follows.
    ///
    /// - Throws: `.corrupt` if a record or a block that it is computed from is damaged, or is missing.
    package func seal(at position: Position) throws(StorageError) -> Seal {
        guard position > .zero else { return SealChain.first(of: root) }
        let (blocks, end) = try sealOfBlocks(at: position)
        var (seal, last) = (blocks, end)
        for section in tail where last < position.value && section.run.last > last {
            let first = max(section.run.first, last + 1)
            guard first == last + 1 else { break }
            last = min(section.run.last, position.value)
            seal = try SealChain.seal(of: section.run, from: first, through: last, after: seal, mask)
        }
        guard last == position.value else { throw Record.damaged(last + 1, "is missing") }
        return seal
    }

    /// Returns the seal at a position, or at the end of the last block before it, with that position.
    private func sealOfBlocks(at position: Position) throws(StorageError) -> (seal: Seal, last: UInt64) {
        let transaction = try ReadTransaction(environment)
        return try transaction.withCursor(in: .main) { (cursor) throws(StorageError) in
            try sealOfBlocks(at: position, with: cursor)
        }
    }

    private func sealOfBlocks(
        at position: Position, with cursor: borrowing Cursor
    ) throws(StorageError) -> (seal: Seal, last: UInt64) {
        // Key 0 is the header of the log.
        let found = try PositionKey.with(position.value) { (key) throws(StorageError) in
            try cursor.seek(atOrBefore: key)
        }
        guard let found, let first = PositionKey.position(found.key), first > 0 else {
            return (SealChain.first(of: root), 0)
        }
        let header = try BlockMap.header(found.value, first)
        guard header.last > position.value else { return (header.seal(found.value), header.last) }
        guard let run = header.run(found.value) else { throw Record.damaged(first, "is missing") }
        var before = SealChain.first(of: root)
        if first > 1 {
            guard let previous = try cursor.previous(), let start = PositionKey.position(previous.key) else {
                throw Record.damaged(first - 1, "is missing")
            }
            before = try BlockMap.header(previous.value, start).seal(previous.value)
        }
        let seal = try SealChain.seal(of: run, from: first, through: position.value, after: before, mask)
        return (seal, position.value)
    }
}
