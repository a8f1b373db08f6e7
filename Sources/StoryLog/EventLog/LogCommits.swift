import StoryStorage
package import StoryCore
import Synchronization

/// The commit that is under way, and what its success changes.
struct PendingCommit {
    enum Target {
        /// An entry of the journal.
        case journal(EntryWriter)
        /// More than the journal has room for: blocks, with all that was not in blocks before.
        case blocks(FlushJob)
    }

    let job: CommitJob
    let target: Target

    var isInBlocks: Bool { if case .blocks = target { true } else { false } }
}

extension LMDBEventLog {
    package func makeRoom() -> CommitRoom {
        guard needsFlush else {
            isRoomAwaited = false
            return .ready
        }
        if flushing == nil {
            if isRoomAwaited, let flushRefusal {
                isRoomAwaited = false
                return .refused(flushRefusal)
            }
            start(through: committed.value)
        }
        isRoomAwaited = flushing != nil
        return isRoomAwaited ? .flushing : .ready
    }

    /// True when a commit that began now would have to wait for a flush.
    private var needsFlush: Bool {
        guard fatal == nil, committing == nil, head > committed, let journal else { return false }
        let count = uncommittedBytes
        return journal.fits(count) ? !journal.hasRoom(for: count, flushed: flushed) : flushing != nil
    }

    /// The bytes of the records that the next commit makes durable.
    private var uncommittedBytes: Int { memory.byteCount(after: committed.value) }

    /// Begins a commit. Where both halves of the journal are full it waits for a flush; where the turn is more than a
    /// half has room for, it goes into blocks at once, in one commit of the environment.
    package func beginCommit() throws(StorageError) -> CommitJob? {
        if let fatal { throw fatal }
        precondition(committing == nil, "One commit is under way at a time.")
        guard head > committed, let journal else { return nil }
        let count = uncommittedBytes
        let pending = journal.fits(count) ? try journalCommit(journal, count) : try blockCommit()
        committing = pending
        return pending.job
    }

    package func finishCommit(
        _ job: CommitJob, _ result: Result<Void, StorageError>
    ) throws(StorageError) {
        guard let pending = committing, pending.job === job else {
            preconditionFailure("The commit that ends is the one under way.")
        }
        committing = nil
        do throws(StorageError) {
            try result.get()
        } catch {
            throw noted(error)
        }
        committed = job.through
        committedTime = job.time
        switch pending.target {
        case .journal(let entry): journal?.written(entry)
        case .blocks(let flush): finish(flush, flush.wait())
        }
        flushIfWaiting()
    }

    private func journalCommit(_ journal: JournalFile, _ count: Int) throws(StorageError) -> PendingCommit {
        while !journal.makeRoom(for: count, flushed: flushed) { try flush() }
        let sections = memory.sections(from: committed.value + 1, through: head.value)
        let entry = journal.entry(
            first: committed.value + 1, count: Int(head.value - committed.value), sections)
        let job = CommitJob(through: head, time: lastTime) { () throws(StorageError) in try journal.write(entry) }
        return PendingCommit(job: job, target: .journal(entry))
    }

    private func blockCommit() throws(StorageError) -> PendingCommit {
        try waitForFlush()
        let flush = FlushJob(
            memory.sections(from: 1, through: head.value), after: seal,
            BlockStore(environment: environment, hasher: hasher))
        let job = CommitJob(through: head, time: lastTime) { () throws(StorageError) in
            flush.run()
            _ = try flush.wait().get()
        }
        return PendingCommit(job: job, target: .blocks(flush))
    }

    /// Remembers what makes the disk suspect.
    func noted(_ error: StorageError) -> StorageError {
        if case .full = error { return error }
        fatal = fatal ?? error
        return error
    }
}
