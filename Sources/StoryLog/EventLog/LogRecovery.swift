import StoryStorage
import Glibc
import StoryCore

/// Finds the end of a log that is opened: what the blocks hold, and behind them what the journal holds.
struct LogRecovery {
    /// How often a journal is read that seems damaged: it may just be written.
    private static let attempts = 100

    let environment: Environment
    let records: LogRecords
    let hasher: SealHasher
    let journalPath: String
    let identity: StoredIdentity

    /// Takes what the journal holds into memory, and from there into blocks; returns the journal to go on with. Where
    /// there is no room for the blocks, the records stay in the journal and are served all the same; where there is none
    /// for a new journal, the old one goes on.
    ///
    /// - Parameter journalSize: a journal of another size is replaced, where all that it holds is in blocks.
    /// - Throws: `.corrupt` where the journal is missing or damaged, `.failed` where something cannot be made durable.
    func recover(_ journalSize: Int, _ flusher: BlockFlusher) throws(StorageError) -> JournalFile {
        try JournalFile.replaceLost(journalPath, logID: identity.id, fileSize: journalSize)
        try JournalFile.takeInherited(journalPath, identity, after: records.flushed)
        let journal = try openJournal(identity)
        if let contents = journal.takeContents() { try records.take(contents) }
        // A killed process may have written both without the sync; what rests on them must not be lost alone.
        try environment.sync()
        try journal.sync()
        records.wereCommitted(through: records.head, at: records.lastTime)
        do throws(StorageError) {
            try flusher.flush()
            guard journal.isOutdated(size: journalSize) else { return journal }
            return try createJournal(identity, journalSize)
        } catch {
            guard case .full = error else { throw error }
            return journal
        }
    }

    /// Gives the journal, all of which is in blocks, to the history that the log is from now on.
    ///
    /// - Throws: `.failed` where it cannot be written.
    func renameJournal(_ identity: StoredIdentity) throws(StorageError) -> JournalFile {
        try JournalFile.name(journalPath, identity.id)
        return try openJournal(identity)
    }

    /// Replaces the journal by an empty one. All that it holds is in blocks.
    private func createJournal(_ identity: StoredIdentity, _ journalSize: Int) throws(StorageError) -> JournalFile {
        try JournalFile.create(journalPath, logID: identity.id, fileSize: journalSize)
        return try openJournal(identity)
    }

    /// Finds what another process has appended meanwhile, beside that process. What is found is made durable first: the
    /// last commit may be written, and not be synced.
    ///
    /// - Throws: `.corrupt` where the log or its journal is not as it was written, `.failed` where it cannot be synced.
    func refresh() throws(StorageError) {
        var attempt = 1
        while true {
            let before = try records.blocks.state(hasher)
            do throws(StorageError) {
                let contents = try JournalFile.contents(
                    at: journalPath, before.header.identity, after: before.head, before.lastTime)
                let after = try records.blocks.state(hasher)
                // Blocks were stored meanwhile: a part of the journal may have been written anew while it was read.
                if after.head == before.head {
                    try environment.syncRead()
                    return try records.replace(with: before, contents)
                }
            } catch {
                // What is being written while it is read looks like damage once, but not again and again.
                guard case .corrupt = error, attempt < LogRecovery.attempts else { throw error }
                usleep(500)
            }
            attempt += 1
        }
    }

    private func openJournal(_ identity: StoredIdentity) throws(StorageError) -> JournalFile {
        try JournalFile(at: journalPath, logID: identity.id, after: records.flushed, records.lastTime)
    }
}
