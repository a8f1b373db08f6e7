import StoryStorage
import StoryCore

/// The writer of blocks: seals records into blocks and stores those in the log's environment, in one commit.
struct BlockStore: Sendable {
    let environment: Environment

    /// Stores the sections as blocks, in order, and returns the seal of the last one.
    ///
    /// - Throws: `.full` if there was no room and nothing was stored; after any other error it is unknown whether the
    ///   blocks were stored.
    func store(_ sections: [BlockSection], after seal: Seal) throws(StorageError) -> Seal {
        try environment.reserveRoom(sections.reduce(0) { $0 + $1.byteCount + environment.pageSize })
        let transaction = try WriteTransaction(environment)
        var last = seal
        for section in sections {
            let target = try PositionKey.with(section.run.first) { (key) throws(StorageError) in
                try transaction.append(reserving: section.byteCount, in: .main, at: key)
            }
            last = try section.write(to: target, after: last)
        }
        try transaction.commit(isReserved: true)
        environment.coverLastPage()
        return last
    }
}
