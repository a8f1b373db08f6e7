import StoryStorage
import StoryCore

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
