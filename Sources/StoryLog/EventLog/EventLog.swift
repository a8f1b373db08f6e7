import StoryStorage
package import StoryCore

/// The log of all events, appended turn by turn.
///
/// An event is durable after a commit. After a commit that was refused, call `rollBack` and continue. After one that
/// failed it is unknown whether the turn is on the disk, and the process has to stop: every later commit throws as well.
package protocol EventLog: EventLogReading {
    /// The position of the last durable event.
    var committed: Position { get }
    /// The position of the last event that is durable in a block, so that models folded up to it may be stored.
    var flushed: Position { get }
    /// The size of the log, in bytes.
    var bytes: Int { get }
    /// The history that the log holds, and those that it was copied from.
    var storedIdentity: StoredIdentity { get }

    /// Appends the event after `head`; `json` is its whole line as it goes out on the wire, without the LF.
    ///
    /// - Parameter withRecord: receives the record, which is valid until it returns; it may read the log, but not
    ///   append.
    /// - Throws: no error of the disk; the commit throws those.
    func append(
        _ event: EventHeader, json: UnsafeRawBufferPointer, withRecord: (EventRecord) -> Void
    ) throws(StorageError)

    /// Appends records of the same history after `head`, unchanged: entries that came from elsewhere.
    ///
    /// - Parameters:
    ///   - records: whole records, one behind the other.
    ///   - withRecord: receives each record, as `append` has it.
    /// - Throws: `.corrupt` if one is damaged, or older than the one before; then none is appended.
    func ingest(_ records: UnsafeRawBufferPointer, withRecord: (EventRecord) -> Void) throws(StorageError)

    /// Visits the records from `from` through `through` as they are, in order, until `visit` returns false; each is
    /// verified, and valid until `visit` returns.
    ///
    /// - Throws: `.corrupt` with the position of a damaged record.
    func scanRecords(
        from: Position, through: Position, _ visit: (Position, UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError)

    /// Makes room for the next commit, so that it does not wait: begins a flush if it needs one.
    ///
    /// - Parameter position: the last event of the commit.
    func ensureSpace(through position: Position) -> CommitRoom
    /// Begins a commit of the appended events through a position; nil if there are none. Run the job on any thread, then
    /// pass it to `finishCommit`. Events after that position belong to the next commit.
    ///
    /// - Throws: `.full` if there is no room; after any other error the process has to stop.
    func beginCommit(through position: Position) throws(StorageError) -> CommitJob?
    /// Ends a commit, on the thread that appends. If it was refused, its events stay, and are not committed.
    ///
    /// - Throws: the error of a commit that failed, or of storing it: the process has to stop.
    func finishCommit(_ job: CommitJob, _ end: CommitEnd) throws(StorageError)
    /// Removes every event after a position, which is not before `committed`, nor in a commit under way.
    ///
    /// - Throws: an error after which the state of the log is unknown, and the process has to stop.
    func rollBack(to position: Position) throws(StorageError)

    /// Begins a flush of the committed events that fill whole blocks, and returns at once.
    func startFlush()
    /// Begins a flush of committed events, at least through a committed position, and returns at once. Does nothing if
    /// that position is in a block, or during a flush or a commit into blocks.
    func startFlush(through position: Position)
    /// Completes a flush that has ended; call it after `whenFlushed` was called.
    ///
    /// - Throws: `.full` if there was no room: nothing is lost, and the flush is tried again later. After any other
    ///   error the process has to stop.
    func pollFlush() throws(StorageError)
    /// Flushes all committed events, and waits for that.
    ///
    /// - Throws: as `pollFlush`.
    func flush() throws(StorageError)

    /// Frees the reader slots of processes that died.
    func clearStaleReaders()
    /// Closes the log.
    func close()
}

extension EventLog {
    /// The same history, as clients name it.
    package var identity: LogIdentity { storedIdentity.named }
    /// 16 random bytes that identify this log.
    package var storeID: [UInt8] { storedIdentity.id }

    /// Commits the appended events on the calling thread.
    ///
    /// - Throws: as `beginCommit` and `CommitJob.run`.
    package func commit() throws(StorageError) {
        guard let job = try beginCommit(through: head) else { return }
        do throws(StorageError) {
            try job.run()
        } catch {
            try finishCommit(job, CommitEnd(error))
            throw error
        }
        try finishCommit(job, .acknowledged)
    }
}

/// The room for the next commit: whether it can begin without waiting for the disk.
package enum CommitRoom: Equatable, Sendable {
    /// The commit can begin, or there is nothing to commit.
    case ready
    /// The commit has to wait for the flush that is under way.
    case flushing
    /// The flush that the commit waited for has failed, or the log accepts no events.
    case refused(StorageError)
}

/// A commit under way: one entry, and the write and sync that store it, which any thread may run.
package final class CommitJob: Sendable {
    /// The last position that is durable once the job succeeds.
    package let through: Position
    /// The time of the event at that position.
    let time: Instant?
    /// The records of the entry, in order; they do not change, so each try has the same bytes.
    package let records: [BlockSection]
    private let work: @Sendable () throws(StorageError) -> Void

    /// Creates a commit of the events through a position, the last of which has this time.
    package init(
        through: Position, time: Instant?, _ records: [BlockSection],
        _ work: @escaping @Sendable () throws(StorageError) -> Void
    ) {
        self.through = through
        self.time = time
        self.records = records
        self.work = work
    }

    /// Runs the commit, once or again: a second try writes the same entry.
    ///
    /// - Throws: `.full` if there is no room, and nothing is changed; after any other error it is unknown whether the
    ///   commit is durable.
    package func run() throws(StorageError) { try work() }

    /// Runs the commit and returns its end.
    package func end() -> CommitEnd {
        do throws(StorageError) { try run() } catch { return CommitEnd(error) }
        return .acknowledged
    }
}
