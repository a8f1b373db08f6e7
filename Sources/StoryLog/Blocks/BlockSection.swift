import Glibc
package import StoryCore
import StoryStorage

/// A range of records in memory that becomes one block.
///
/// Unchecked: the records do not change any more, and it retains the memory that holds them.
package struct BlockSection: @unchecked Sendable {
    /// The records, valid as long as the section.
    package let run: RecordRun
    private let block: OpenBlock

    /// Makes a section of the records from `lower` through `upper`, both of which the block must hold.
    init(_ block: OpenBlock, from lower: UInt64, through upper: UInt64) {
        self.block = block
        run = block.run(from: lower, through: upper)
    }

    /// Returns the records after a position; nil if there are none.
    func part(after position: UInt64) -> BlockSection? {
        guard run.last > position else { return nil }
        return BlockSection(block, from: max(run.first, position + 1), through: run.last)
    }

    /// The size of the block that it becomes, in bytes.
    package var byteCount: Int { BlockHeader.overhead + 4 * run.count + run.bytes.count }

    /// Writes the whole block and returns the seal of its last record.
    ///
    /// - Throws: `.corrupt` if the offsets or lengths of a record do not fit; the block must then be discarded.
    package func write(
        to target: UnsafeMutableRawPointer, after seal: Seal
    ) throws(StorageError) -> Seal {
        let records = run.bytes
        var end = BlockHeader.size + 4 * run.count
        if let source = records.baseAddress { memcpy(target + end, source, records.count) }
        for index in 0..<run.count {
            target.put(UInt32(end), at: BlockHeader.size + 4 * index)
            end += try run.record(at: run.first + UInt64(index)).count
        }
        let header = BlockHeader(
            count: run.count, first: run.first, firstTime: try time(run.first), lastTime: try time(run.last),
            byteCount: byteCount)
        header.write(to: target)
        let sealed = try SealChain.seal(of: run, after: seal)
        UnsafeMutableRawBufferPointer(start: target + end, count: Seal.size).copyBytes(from: sealed.bytes)
        return sealed
    }

    private func time(_ position: UInt64) throws(StorageError) -> Int64 {
        EventHeader(try run.record(at: position), at: Position(position)).time.milliseconds
    }
}

/// One flush: seals records into blocks and stores them, usually on a background thread while commits continue.
struct FlushJob {
    /// The last position that is in blocks once the flush succeeds.
    let through: Position
    /// The first positions of the blocks that it stores.
    let firsts: [UInt64]
    /// The work, which returns the seal of the last block.
    let work: BackgroundJob<Seal>

    /// - Parameters:
    ///   - sections: at least one.
    ///   - orders: the orders among the records that are in memory.
    ///   - ledger: the file that has each of them before the block that it is in is stored.
    init(
        _ sections: [BlockSection], after seal: Seal, in environment: Environment, orders: [Position],
        ledger: ErasureLedger
    ) {
        precondition(!sections.isEmpty, "flush of no records")
        let through = Position(sections[sections.count - 1].run.last)
        let stored = orders.filter { $0 <= through }
        self.through = through
        firsts = sections.map(\.run.first)
        work = BackgroundJob { () throws(StorageError) in
            if !stored.isEmpty { try ledger.add(stored) }
            return try environment.store(sections, after: seal)
        }
    }
}

extension Environment {
    /// Seals the sections into blocks and stores those, in order and in one commit; returns the seal of the last one.
    ///
    /// - Throws: `.full` if there was no room and nothing was stored; after any other error it is unknown whether the
    ///   blocks were stored.
    func store(_ sections: [BlockSection], after seal: Seal) throws(StorageError) -> Seal {
        try reserveRoom(sections.reduce(0) { $0 + $1.byteCount + pageSize })
        let transaction = try WriteTransaction(self)
        var last = seal
        for section in sections {
            let target = try PositionKey.with(section.run.first) { (key) throws(StorageError) in
                try transaction.append(reserving: section.byteCount, in: .main, at: key)
            }
            last = try section.write(to: target, after: last)
        }
        try transaction.commit(isReserved: true)
        coverLastPage()
        return last
    }
}
