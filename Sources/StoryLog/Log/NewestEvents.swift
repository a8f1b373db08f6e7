import Glibc
import StoryCore

/// Finding the log's end, also while another process appends to it.
extension LMDBEventLog {
    /// The log's end, and what the journal holds after it.
    func newest() throws(StorageError) -> (LogState, JournalTail?) {
        var attempt = 1
        while true {
            let before = try state()
            let tail: Result<JournalTail?, StorageError>
            do throws(StorageError) {
                tail = .success(try JournalTail.read(at: journalPath, after: before, hasher))
            } catch {
                tail = .failure(error)
            }
            let after = try state()
            // A daemon has flushed since this began, all that was committed: no journal is needed, and the one that
            // was read may be of its next generation.
            if after.head != before.head { return (after, nil) }
            // What is being written while it is read looks like damage once, but not again and again.
            if case .failure = tail, attempt < LMDBEventLog.attempts {
                attempt += 1
                usleep(1_000)
            } else {
                return (after, try tail.get())
            }
        }
    }

    /// How often a journal is read that seems damaged.
    private static let attempts = 50

    private func state() throws(StorageError) -> LogState {
        try reading { (transaction) throws(StorageError) in try LogState(transaction, hasher) }
    }
}
