import StoryStorage
package import StoryCore

/// The work of threads that takes the bytes of masked events out of the files of a log; its owner begins one part after
/// the other, and none beside another one.
///
/// During `overwrite` and `zeroUnused`, and between them, no flush may be under way: it would move the blocks that are on
/// the pages that are changed.
package struct LogErasing: Sendable {
    /// The orders that are carried out, by the positions of their events.
    package let erasers: [Position]
    private let mask: ErasureMask
    private let environment: Environment
    private let ledger: ErasureLedger
    private let journalPath: String
    private let header: LogHeader
    private let journalSize: Int

    init(
        _ orders: [ErasureOrder], in environment: Environment, header: LogHeader, ledger: ErasureLedger,
        journal: JournalFile
    ) {
        erasers = orders.map(\.eraser)
        var mask = ErasureMask()
        for order in orders { mask.add(order) }
        (self.mask, self.environment, self.header, self.ledger) = (mask, environment, header, ledger)
        (journalPath, journalSize) = (journal.path, journal.header.fileSize)
    }

    /// Computes the erasures of the records that have parts left, and keeps them in a file, so that a write that is torn
    /// is done again; those that an earlier process kept are done first.
    ///
    /// - Returns: the erasures, and the number of a transaction: a snapshot before it may be read without them.
    /// - Throws: `.corrupt` if one of the records is damaged; `.full` where there is no room, and nothing has changed.
    package func prepare() throws(StorageError) -> (erasures: [RecordErasure], transaction: UInt) {
        let kept = ledger.redo?.erasures ?? []
        var mask = mask
        mask.note(kept)
        var erasures = kept
        let known = Set(kept.map(\.position))
        try environment.eachRecord(at: mask.positions.filter { !known.contains($0) }) {
            (position, record) throws(StorageError) in
            if let erasure = try mask.erasure(of: record, at: position) { erasures.append(erasure) }
        }
        try ledger.add(erasers)
        try ledger.add(erasures)
        try header.replace(in: environment)
        return (erasures, environment.lastTransaction)
    }

    /// Overwrites records where they are stored, which may be done in part already, and syncs them.
    ///
    /// - Throws: `.corrupt` if a record is not where it should be; otherwise the error of the system, after which the state
    ///   of the file is unknown.
    package func overwrite(_ erasures: [RecordErasure]) throws(StorageError) { try environment.overwrite(erasures) }

    /// Fills everything in the file of the blocks with zeros that is no part of them.
    ///
    /// - Returns: false where a snapshot, of any process, may still need one of the pages; then nothing is changed.
    /// - Throws: the error of the system, after which the state of the file is unknown.
    package func zeroUnused() throws(StorageError) -> Bool { try environment.zeroUnused() }

    /// Makes an empty journal that replaces the present one, all of whose events are in blocks.
    ///
    /// - Throws: `.full` or `.failed` if it cannot be made; then the present one is left.
    package func makeJournal(after last: Position, _ time: Instant?) throws(StorageError) -> NewJournal {
        let id = header.identity.id
        try JournalFile.create(journalPath, logID: id, fileSize: journalSize)
        return NewJournal(file: try JournalFile(at: journalPath, logID: id, after: last, time))
    }

    /// Notes that the orders are carried out.
    ///
    /// - Throws: `.full` or `.failed` if that cannot be written; then they are carried out again after the next start.
    package func end() throws(StorageError) { try ledger.remove(erasers) }
}

/// A journal that replaces another one.
package struct NewJournal: Sendable {
    let file: JournalFile
}

/// A journal that has no name any more.
package struct OldJournal: Sendable {
    let file: JournalFile

    /// Fills the file with zeros and syncs it.
    ///
    /// - Throws: the error of the system.
    package func zero() throws(StorageError) { try file.zero() }
}

extension Environment {
    /// Visits the records at these positions, which are in blocks, as they are stored.
    ///
    /// - Throws: `.corrupt` if a block is damaged or missing; the error of `visit`.
    fileprivate func eachRecord(
        at positions: some Sequence<Position>,
        _ visit: (Position, UnsafeRawBufferPointer) throws(StorageError) -> Void
    ) throws(StorageError) {
        let view = try LogView(self, [])
        defer { view.close() }
        for position in positions { try visit(position, try view.storedRecord(at: position)) }
    }

    /// Overwrites records in the blocks, and syncs them; nobody writes to the environment meanwhile.
    ///
    /// - Throws: as `LogErasing.overwrite`.
    fileprivate func overwrite(_ erasures: [RecordErasure]) throws(StorageError) {
        let writer = try Overwriting(self)
        var left = erasures[...]
        try eachRecord(at: erasures.map(\.position)) { (_, record) throws(StorageError) in
            guard let erasure = left.popFirst() else { return }
            try writer.overwrite(record, by: try erasure.erased(record))
        }
        try syncRead()
    }

    /// Erases the events of a mask from a copy of a log, which nobody reads yet.
    ///
    /// - Throws: as `LogErasing.overwrite`.
    func erase(_ mask: ErasureMask, through last: Position) throws(StorageError) {
        var erasures: [RecordErasure] = []
        try eachRecord(at: mask.positions.prefix { $0 <= last }) { (position, record) throws(StorageError) in
            if let erasure = try mask.erasure(of: record, at: position) { erasures.append(erasure) }
        }
        try overwrite(erasures)
        guard try zeroUnused() else { throw .failed("\(path) is read while it is made") }
    }
}
