package import StoryStorage
package import StoryCore

/// The log in an LMDB environment of its own, with a journal in front of it.
///
/// The environment holds sealed blocks, keyed by their first position, and at key 0 the header. A commit is durable
/// once the journal has it; its records lie in memory as well, until a flush has put them into blocks. No transaction
/// stays open. The log belongs to the thread that appends to it; a flush has a thread of its own.
///
/// The work is done by its parts: `LogRecords` has what can be read, `LogCommits` makes it durable, `BlockFlusher` puts
/// it into blocks, `LogRecovery` finds its end at a start.
package final class LMDBEventLog: EventLog {
    let environment: Environment
    let header: LogHeader
    /// The history that the directory's files were copied from; nil unless this start found that and named it anew.
    package let copiedFrom: LogID?
    let records: LogRecords
    /// True where this start found a journal and the file that gives it up, and removed the latter.
    package let wasSurrendered: Bool
    /// Nil unless the log is served.
    let commits: LogCommits?
    private let recovery: LogRecovery
    private var isOpen = true

    /// Opens the log of a data directory. One that serves makes it where there is none, and converts one of an older
    /// format.
    ///
    /// - Parameters:
    ///   - now: when the log was made, if it is made.
    ///   - journalSize: the bytes of the journal; one of another size is replaced.
    ///   - background: where flushes go.
    ///   - progress: hears how far a conversion is.
    /// - Throws: `.corrupt` where the directory does not hold what was written, `.failed` where it cannot be opened,
    ///   `.full` where there is no room to make or convert it.
    package init(
        in directory: DataDirectory, now: Instant, _ options: EnvironmentOptions = EnvironmentOptions(),
        journalSize: Int = JournalFile.usualSize, background: BackgroundStarter = .niceThreads,
        converting progress: ConversionProgress? = nil
    ) throws(StorageError) {
        let isServed = directory.access == .serving
        if isServed {
            try Conversion.runIfNeeded(directory, options, journalSize, progress)
            try LogCreation.createIfMissing(directory, now, journalSize)
        }
        environment =
            directory.access == .reading
            ? try .openReadOnly(at: directory.logPath, options) : try .open(at: directory.logPath, options)
        do throws(StorageError) {
            // A process killed in a commit may have left LMDB's lock file behind: only a writer repairs it.
            if isServed {
                try environment.hold()
                _ = try WriteTransaction(environment)
            }
            let hasher = try SealHasher()
            let blocks = try BlockReader(environment)
            let state = try blocks.state(hasher)
            records = LogRecords(blocks, state)
            recovery = LogRecovery(
                environment: environment, records: records, hasher: hasher, journalPath: directory.journalPath,
                identity: state.header.identity)
            do throws(StorageError) {
                if isServed {
                    (commits, header) = try LMDBEventLog.serve(recovery, state, journalSize, background)
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
            environment.close()
            throw error
        }
    }

    deinit { close() }

    /// Recovers a log that is served, and returns its commits and the header that it has now.
    private static func serve(
        _ recovery: LogRecovery, _ state: LogState, _ journalSize: Int, _ background: BackgroundStarter
    ) throws(StorageError) -> (LogCommits, LogHeader) {
        let failStop = FailStop()
        let store = BlockStore(environment: recovery.environment, hasher: recovery.hasher)
        let flusher = BlockFlusher(recovery.records, store, after: state.seal, failStop, background)
        var journal = try recovery.recover(journalSize, flusher)
        let naming = try LogNaming(recovery.environment, state.header)
        let outcome = try naming.run(
            isFlushed: recovery.records.flushed == recovery.records.head, recovery.records.head)
        switch outcome {
        case .kept: return (LogCommits(journal, recovery.records, flusher, failStop), state.header)
        case .noted(let header): return (LogCommits(journal, recovery.records, flusher, failStop), header)
        case .named(let header):
            journal = try recovery.renameJournal(header.identity)
            return (LogCommits(journal, recovery.records, flusher, failStop), header)
        case .refused(let refusal):
            return (LogCommits(journal, recovery.records, flusher, failStop, refusing: refusal), state.header)
        }
    }

    /// Finds what another process has appended meanwhile; for a log opened for reading.
    ///
    /// - Throws: `.corrupt` where the log or its journal is not as it was written.
    package func refresh() throws(StorageError) {
        precondition(commits == nil, "Only a log opened for reading is behind.")
        try recovery.refresh()
    }

    /// - Throws: `.failed` where a file of the log was moved, removed or replaced.
    package func checkNames() throws(StorageError) {
        try environment.checkNames()
        try commits?.journal.checkName()
    }

    /// Frees the slots of readers whose process died, whose views would keep pages from being used again.
    package func clearStaleReaders() { environment.clearStaleReaders() }

    package func close() {
        guard isOpen else { return }
        isOpen = false
        commits?.close()
        records.blocks.close()
        environment.close()
    }
}

// MARK: What it is

extension LMDBEventLog {
    package var head: Position { records.head }
    package var committed: Position { records.committed }
    package var flushed: Position { records.flushed }
    package var lastTime: Instant? { records.lastTime }
    package var storedIdentity: StoredIdentity { header.identity }
    package var bytes: Int { environment.usedBytes }
    /// Why no event is taken until the next start; nil where events are.
    package var refusal: StorageError? { commits?.refusal }
}

// MARK: Appending and committing

extension LMDBEventLog {
    package func append(
        _ event: EventHeader, json: UnsafeRawBufferPointer, _ lend: (EventRecord) -> Void
    ) throws(StorageError) {
        precondition(commits != nil, "Only a log that is served is appended to.")
        records.append(event, json: json, lend)
    }

    package func rollBack() {
        precondition(commits?.isCommitting != true, "Nothing is rolled back while a commit is under way.")
        records.rollBack()
    }

    package func makeRoom() -> CommitRoom { commits?.makeRoom() ?? .ready }

    package func beginCommit() throws(StorageError) -> CommitJob? { try commits?.begin() }

    package func finishCommit(
        _ job: CommitJob, _ result: Result<Void, StorageError>
    ) throws(StorageError) { try commits?.finish(job, result) }
}

// MARK: Flushing

extension LMDBEventLog {
    /// Called on another thread when a flush has ended: have `pollFlush` called.
    package var whenFlushed: (@Sendable () -> Void)? {
        get { commits?.flusher.whenFlushed }
        set { commits?.flusher.whenFlushed = newValue }
    }

    package var isFlushing: Bool { commits?.flusher.isFlushing ?? false }

    package func startFlush() { commits?.flusher.startFull() }

    package func startFlush(through position: Position) { commits?.flusher.startAtLeast(through: position) }

    package func pollFlush() throws(StorageError) { try commits?.flusher.poll() }

    package func flush() throws(StorageError) { try commits?.flusher.flush() }
}

// MARK: Reading

extension LMDBEventLog {
    package func scan(
        from: Position, through: Position, order: Order, _ visit: (EventRecord) -> Bool
    ) throws(StorageError) { try records.scan(from: from, through: through, order: order, visit) }

    package func record(at position: Position, _ visit: (EventRecord) -> Void) throws(StorageError) -> Bool {
        try records.record(at: position, visit)
    }

    package func records(
        at positions: [Position], _ visit: (EventRecord) -> Bool
    ) throws(StorageError) { try records.records(at: positions, visit) }

    package func position(at time: Instant) throws(StorageError) -> Position { try records.position(at: time) }

    package func verify(progress: (Position) -> Void) throws(StorageError) {
        try verifier().run { position in
            progress(position)
            return true
        }
    }

    /// What checks all that is committed by now, on another thread while this one goes on appending.
    package func verifier() -> LogVerifier {
        LogVerifier(environment, records.unflushed, through: committed)
    }

    /// Copies all that is committed by now, and at most what shares its last blocks; the log must stay open meanwhile.
    package func copier() -> LogCopier {
        LogCopier(
            environment, header, records.unflushed, through: committed,
            journalSize: commits?.journal.header.fileSize ?? JournalFile.usualSize)
    }
}
