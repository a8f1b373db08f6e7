import StoryStorage
import StoryCore

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
