import StoryStorage
package import StoryCore

/// The erasures of a log that is served, as far as they belong to the thread that appends to it.
package struct LogErasure {
    private let log: LMDBEventLog

    init(_ log: LMDBEventLog) { self.log = log }

    private var records: LogRecords { log.records }

    /// The committed events `Erased` that are not carried out in this directory, in their order.
    package var erasers: [Position] { records.underWay.map(\.eraser) }
    /// True while there is one of them.
    package var isUnderWay: Bool { !records.underWay.isEmpty }

    /// Masks the events of the orders through a position that is acknowledged, before they are committed here.
    package func acknowledged(through position: Position) { records.wereAcknowledged(through: position) }

    /// Returns true for the position of one of them.
    package func isUnderWay(_ eraser: Position) -> Bool { records.underWay.contains { $0.eraser == eraser } }

    /// Returns the categories of the events that these orders name. A store of a declared model that reads one of them may
    /// have their content in its rows until it is taken away.
    ///
    /// - Parameter json: the reader of the orders' data.
    /// - Throws: the error of reading the log.
    package func categories(_ json: any JSONReading) throws(StorageError) -> [String] {
        try orders(json).flatMap(\.categories)
    }

    /// Returns whether the built-in models have rows, keys or tags of the events that these orders name: then they are no
    /// fold of the log until they are replaced.
    ///
    /// - Parameter json: the reader of the orders' data.
    /// - Throws: the error of reading the log.
    package func touchesModels(_ json: any JSONReading) throws(StorageError) -> Bool {
        try orders(json).contains(where: \.touchesModels)
    }

    private func orders(_ json: any JSONReading) throws(StorageError) -> [ErasedRecord] {
        var orders: [ErasedRecord] = []
        try log.records(at: erasers) { record in
            if let order = ErasedRecord(record, json) { orders.append(order) }
            return true
        }
        return orders
    }

    /// True where bytes that are overwritten may stay on the disk, since the file system writes elsewhere.
    package var isCopiedOnWrite: Bool { log.environment.isCopiedOnWrite }

    /// The time of the last committed event; nil where there is none.
    package var timeOfCommitted: Instant? { records.committedTime }

    /// Begins to carry out the orders.
    ///
    /// - Returns: nil where nothing is to be erased, or an order is not in a block yet: a flush has begun that stores it.
    package func begin() -> LogErasing? {
        guard let commits = log.commits, let ledger = log.ledger, let last = records.underWay.last,
            last.eraser <= log.committed
        else { return nil }
        guard last.eraser <= log.flushed else {
            log.startFlush(through: last.eraser)
            return nil
        }
        return LogErasing(
            records.underWay.filter { $0.eraser <= log.flushed }, in: log.environment, header: log.header,
            ledger: ledger,
            journal: commits.journal)
    }

    /// Notes the erasures of records that are about to be overwritten: their own bytes prove nothing any more.
    package func note(_ erasures: [RecordErasure]) { records.note(erasures) }

    /// Returns true while a process may read records by a snapshot before a transaction.
    package func isRead(before transaction: UInt) -> Bool {
        log.environment.oldestSnapshot.map { $0 < transaction } ?? false
    }

    /// Lets no flush begin until `overwritingEnded`; commits go on.
    ///
    /// - Returns: false while a flush is under way.
    package func overwritingBegins() -> Bool { log.commits?.flusher.erasingBegins() ?? false }

    /// Lets flushes begin again.
    package func overwritingEnded() { log.commits?.flusher.erasingEnded() }

    /// Lets no commit begin until `commitsGoOn`.
    ///
    /// - Returns: true once none is under way and everything that was committed is in blocks.
    package func holdCommits() -> Bool {
        guard let commits = log.commits else { return false }
        commits.isHeld = true
        guard !commits.isCommitting else { return false }
        if log.flushed < log.committed { log.startFlush(through: log.committed) }
        return log.flushed == log.committed && !log.isFlushing
    }

    /// Goes on with an empty journal, while commits are held; returns the one before.
    package func replaceJournal(by new: NewJournal) -> OldJournal? { log.commits?.replaceJournal(by: new) }

    /// Lets commits begin again.
    package func commitsGoOn() { log.commits?.isHeld = false }

    /// Notes that the bytes of the events of these orders are gone.
    package func end(_ erasers: [Position]) { records.end(erasers) }
}

extension LMDBEventLog {
    /// Its erasures.
    package var erasure: LogErasure { LogErasure(self) }
}
