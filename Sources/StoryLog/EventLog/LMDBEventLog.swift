package import StoryStorage
package import StoryCore

/// An event log in an LMDB environment of its own, with a journal in front of it.
///
/// The environment holds sealed blocks, keyed by their first position, and the header at key 0. A commit is durable
/// once the journal has it; its records are in memory as well, until a flush has moved them into blocks. No transaction
/// stays open. The log belongs to the thread that appends to it; a flush has a thread of its own.
///
/// Its parts: `LogRecords` holds the records for reading, `LogCommits` commits them, `BlockFlusher` flushes them into
/// blocks, `LogRecovery` finds the end of the log at a start.
package final class LMDBEventLog: EventLog {
    let environment: Environment
    let header: LogHeader
    /// The history that the directory's files were copied from; nil unless this start found that and gave the log an ID
    /// of its own.
    package let copiedFrom: LogID?
    let records: LogRecords
    /// True if this start found both a journal and the `.lost` file that gives it up, and removed that file.
    package let wasSurrendered: Bool
    /// Nil unless the log is served.
    let commits: LogCommits?
    /// The file of the erasures that are under way; nil unless the log is served.
    let ledger: ErasureLedger?
    private let recovery: LogRecovery
    /// The snapshot of a log that is not served: while it is held, no record is overwritten that is read without its mask.
    private var snapshot: ReadTransaction?
    private var isOpen = true

    /// Opens the log of a data directory. If that is opened for serving, makes a log if there is none.
    ///
    /// - Parameters:
    ///   - now: the creation time of the log, if it is made.
    ///   - journalSize: the size of the journal in bytes; a journal of another size is replaced.
    ///   - origin: the history of the log, if it is made as a replica; nil: one of its own.
    ///   - background: starts the flushes.
    ///   - whenFlushed: called, usually on another thread, when a flush has ended; the owner must then call `pollFlush`.
    /// - Throws: `.corrupt` if the directory is damaged, `.failed` if it cannot be opened, `.full` if there is no room
    ///   to make it.
    package init(
        in directory: DataDirectory, now: Instant, _ options: EnvironmentOptions = EnvironmentOptions(),
        journalSize: Int = JournalFile.usualSize, origin: StoredIdentity? = nil,
        background: BackgroundStarter = .niceThreads, whenFlushed: @escaping @Sendable () -> Void = {}
    ) throws(StorageError) {
        let isServed = directory.access == .serving
        if isServed { try LogCreation.createIfMissing(directory, now, journalSize, origin: origin) }
        environment =
            directory.access == .reading
            ? try .openReadOnly(at: directory.logPath, options) : try .open(at: directory.logPath, options)
        do throws(StorageError) {
            // A process killed in a commit may have left LMDB's lock file behind: only a writer repairs it.
            if isServed {
                try environment.hold()
                _ = try WriteTransaction(environment)
            }
            let ledger = isServed ? try ErasureLedger(directory.erasurePath) : nil
            self.ledger = ledger
            snapshot = isServed ? nil : try ReadTransaction(environment)
            let blocks = try BlockReader(environment)
            let state = try blocks.state()
            records = LogRecords(blocks, state)
            recovery = LogRecovery(
                environment: environment, records: records, journalPath: directory.journalPath,
                erasurePath: directory.erasurePath, identity: state.header.identity)
            do throws(StorageError) {
                if let ledger {
                    (commits, header) = try LMDBEventLog.serve(
                        recovery, state, ledger: ledger, journalSize: journalSize, background, whenFlushed)
                } else {
                    (commits, header) = (nil, state.header)
                    try recovery.refresh()
                }
                wasSurrendered = isServed ? try JournalFile.removeSurrender(directory.journalPath) : false
                copiedFrom = header.identity == state.header.identity ? nil : state.header.identity.named.id
            } catch {
                blocks.close()
                throw error
            }
        } catch {
            // It must end before its environment is closed.
            snapshot = nil
            environment.close()
            throw error
        }
    }

    deinit { close() }

    /// The path of the data directory.
    package var directoryPath: String { Folder.parent(of: environment.path) }

    /// Recovers a log that is served, and returns its commits and its present header.
    private static func serve(
        _ recovery: LogRecovery, _ state: LogState, ledger: ErasureLedger, journalSize: Int,
        _ background: BackgroundStarter, _ whenFlushed: @escaping @Sendable () -> Void
    ) throws(StorageError) -> (LogCommits, LogHeader) {
        let flusher = BlockFlusher(
            recovery.records, in: recovery.environment, ledger: ledger, after: state.seal, background,
            whenFlushed: whenFlushed)
        if let redo = ledger.redo { try recovery.records.begin(redo) }
        var journal = try recovery.recover(journalSize, flusher)
        let isFlushed = recovery.records.flushed == recovery.records.head
        let (header, refusal) = try LogNaming.name(
            state.header, in: recovery.environment, at: recovery.records.head, isFlushed: isFlushed)
        if header != state.header {
            try JournalFile.name(recovery.journalPath, header.identity.id)
            recovery.records.identity = header.identity
            journal = try recovery.openJournal(header.identity)
        }
        return (LogCommits(journal, recovery.records, flusher, refusing: refusal), header)
    }

    /// Loads the events that another process has appended meanwhile; only for a log that is not served.
    ///
    /// - Throws: `.corrupt` if the log or its journal is damaged.
    package func refresh() throws(StorageError) {
        precondition(commits == nil, "refresh of a log that is served")
        snapshot = nil
        snapshot = try ReadTransaction(environment)
        try recovery.refresh()
    }

    /// Checks that the files of the log still have their names.
    ///
    /// - Throws: `.failed` if a file was moved, removed or replaced.
    package func checkNames() throws(StorageError) {
        try environment.checkNames()
        // Another journal is about to take the name of the present one.
        if commits?.isHeld == false { try commits?.journal.checkName() }
    }

    package func clearStaleReaders() { environment.clearStaleReaders() }

    /// Flushes a log that is served, and closes the log.
    package func close() {
        guard isOpen else { return }
        isOpen = false
        commits?.close()
        snapshot = nil
        records.blocks.close()
        environment.close()
    }
}

// MARK: State

extension LMDBEventLog {
    package var head: Position { records.head }
    package var committed: Position { records.committed }
    package var flushed: Position { records.flushed }
    package var lastTime: Instant? { records.lastTime }
    package var storedIdentity: StoredIdentity { header.identity }
    package var bytes: Int { environment.usedBytes }
    /// The reason why no event is accepted until the next start; nil if events are accepted.
    package var refusal: StorageError? { commits?.refusal }
}

// MARK: Appending and committing, if the log is served

extension LMDBEventLog {
    package func append(
        _ event: EventHeader, json: UnsafeRawBufferPointer, withRecord: (EventRecord) -> Void
    ) throws(StorageError) {
        precondition(commits != nil, "append to a log that is not served")
        records.append(event, json: json, withRecord: withRecord)
    }

    /// Appends an event after the head, whose content was erased in the log that it comes from.
    ///
    /// - Parameter eraser: the position of the event that erased it; nil for a whole one.
    /// - Throws: `.corrupt` if the text is not laid out as the header says.
    func append(
        _ event: EventHeader, json: UnsafeRawBufferPointer, erasedBy eraser: Position?,
        withRecord: (EventRecord) -> Void
    ) throws(StorageError) {
        guard let eraser else { return try append(event, json: json, withRecord: withRecord) }
        try records.append(event, json: json, erasedBy: eraser, withRecord: withRecord)
    }

    package func ingest(
        _ records: UnsafeRawBufferPointer, withRecord: (EventRecord) -> Void
    ) throws(StorageError) {
        precondition(commits != nil, "append to a log that is not served")
        try self.records.ingest(records, withRecord: withRecord)
    }

    package func rollBack(to position: Position) throws(StorageError) {
        precondition(commits?.isCommitting(after: position) != true, "rollback of a commit under way")
        try records.rollBack(to: position)
    }

    package func ensureSpace(through position: Position) -> CommitRoom {
        commits?.ensureSpace(through: position) ?? .ready
    }

    package func beginCommit(through position: Position) throws(StorageError) -> CommitJob? {
        try commits?.begin(through: position)
    }

    package func finishCommit(_ job: CommitJob, _ end: CommitEnd) throws(StorageError) {
        try commits?.finish(job, end)
    }
}

extension LMDBEventLog {
    /// Returns the identity of the file that has the blocks, which no other directory's has.
    ///
    /// - Throws: `.failed` if the system refuses.
    package func fileIdentity() throws(StorageError) -> FileIdentity { try FileIdentity(environment.fileDescriptor) }
}

// MARK: Flushing, if the log is served

extension LMDBEventLog {
    /// True while a flush is under way.
    package var isFlushing: Bool { commits?.flusher.isFlushing ?? false }

    package func startFlush() { commits?.flusher.startFull() }

    package func startFlush(through position: Position) { commits?.flusher.startAtLeast(through: position) }

    package func pollFlush() throws(StorageError) { try commits?.flusher.poll() }

    package func flush() throws(StorageError) { try commits?.flusher.flush() }
}

// MARK: Verifying and copying

extension LMDBEventLog {
    /// Verifies all committed events on the calling thread.
    ///
    /// - Throws: `.corrupt` with the position of the first damaged event.
    package func verify(progress: (Position) -> Void) throws(StorageError) {
        try verifier().run { position in
            progress(position)
            return true
        }
    }

    /// Returns a verifier of all that is committed now; it may run on another thread while this one appends.
    package func verifier() -> LogVerifier {
        LogVerifier(environment: environment, mask: records.mask, tail: records.unflushed, last: committed)
    }

    /// Returns the reader of seals of all events that are here now, also of those of an entry from elsewhere that no commit
    /// has stored; it may run on another thread while this one appends.
    package func seals() -> SealReader {
        SealReader(
            environment: environment, mask: records.mask, tail: records.unflushed(through: head),
            root: storedIdentity.root)
    }

    /// Returns a copier of all that is committed now, and at most the other events of the last block; the log must stay
    /// open meanwhile.
    package func copier() -> LogCopier {
        LogCopier(
            environment: environment, mask: records.mask, header: header, tail: records.unflushed, last: committed,
            journalSize: commits?.journal.header.fileSize ?? JournalFile.usualSize)
    }
}
