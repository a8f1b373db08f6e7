import StoryStorage
import Glibc
import StoryCore

/// The recovery of a log that is opened: adds the records of the journal to those of the blocks.
struct LogRecovery {
    /// The number of times a journal that seems damaged is read, since another process may just be writing it.
    private static let attempts = 100

    let environment: Environment
    let records: LogRecords
    let journalPath: String
    let erasurePath: String
    let identity: StoredIdentity

    /// Loads the records of the journal into memory, flushes them into blocks, and returns the journal to use from now
    /// on. Without room for the blocks, the records stay in the journal and are served all the same; without room for a
    /// new journal, the old one is kept.
    ///
    /// - Parameter journalSize: the size of the journal in bytes; a journal of another size is replaced, if all its
    ///   records are in blocks.
    /// - Throws: `.corrupt` if the journal is missing or damaged, `.failed` if something cannot be made durable.
    func recover(_ journalSize: Int, _ flusher: BlockFlusher) throws(StorageError) -> JournalFile {
        // A killed process may have written the log and its journal without a sync; they must be durable before
        // anything that depends on them. The journal's name depends on the log's.
        try environment.sync()
        try JournalFile.replaceLost(journalPath, logID: identity.id, fileSize: journalSize)
        try JournalFile.takeInherited(journalPath, identity, after: records.flushed)
        let journal = try openJournal(identity)
        if let contents = journal.contents.take() { try records.load(contents) }
        try journal.sync()
        records.wereCommitted(through: records.head, at: records.lastTime)
        do throws(StorageError) {
            try flusher.flush()
            guard journal.isOutdated(size: journalSize) else { return journal }
            try JournalFile.create(journalPath, logID: identity.id, fileSize: journalSize)
            return try openJournal(identity)
        } catch {
            guard case .full = error else { throw error }
            return journal
        }
    }

    /// Loads the records that another process has appended meanwhile, even while that process runs. They are made
    /// durable first, since the last commit may be written but not synced.
    ///
    /// - Throws: `.corrupt` if the log or its journal is damaged, `.failed` if it cannot be synced.
    func refresh() throws(StorageError) {
        var attempt = 1
        while true {
            let before = try records.blocks.state()
            do throws(StorageError) {
                let contents = try JournalFile.contents(
                    at: journalPath, before.header.identity, after: before.head, before.lastTime)
                let after = try records.blocks.state()
                // If blocks were stored meanwhile, a part of the journal may have been overwritten while it was read.
                if after.head == before.head {
                    try environment.syncRead()
                    try records.replace(with: before, contents)
                    // Read last: a block that has an order is stored after the file that names it was.
                    return try records.begin(try ErasureRedo.read(erasurePath) ?? ErasureRedo([]))
                }
            } catch {
                // An entry that is written while it is read looks like damage once, but not at every attempt.
                guard case .corrupt = error, attempt < LogRecovery.attempts else { throw error }
                usleep(500)
            }
            attempt += 1
        }
    }

    /// Opens the journal of the log under its present ID.
    ///
    /// - Throws: `.corrupt` if it is missing or damaged.
    func openJournal(_ identity: StoredIdentity) throws(StorageError) -> JournalFile {
        try JournalFile(at: journalPath, logID: identity.id, after: records.flushed, records.lastTime)
    }
}
