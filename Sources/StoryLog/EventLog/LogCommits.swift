import StoryStorage
import StoryCore

/// Makes durable what was appended, one commit at a time: as an entry of the journal, or, where that has no room for so
/// much, as blocks.
///
/// It belongs to the thread that appends; only the job of a commit is another thread's.
final class LogCommits {
    /// The commit that is under way, and what its success changes.
    private struct Pending {
        enum Target {
            /// An entry of the journal.
            case journal(EntryWriter)
            /// More than the journal has room for.
            case blocks
        }

        let job: CommitJob
        let target: Target
    }

    let journal: JournalFile
    let flusher: BlockFlusher
    /// Why no commit begins; nil where they do.
    let refusal: StorageError?
    private let records: LogRecords
    private let failStop: FailStop
    private var pending: Pending?
    /// True while a commit waits for a flush to make room.
    private var isRoomAwaited = false

    /// - Parameter refusal: why no commit begins.
    init(
        _ journal: JournalFile, _ records: LogRecords, _ flusher: BlockFlusher, _ failStop: FailStop,
        refusing refusal: StorageError? = nil
    ) {
        self.refusal = refusal
        self.journal = journal
        self.records = records
        self.flusher = flusher
        self.failStop = failStop
    }

    var isCommitting: Bool { pending != nil }

    /// Sees to it that the next commit does not have to wait: begins a flush where it needs one.
    func makeRoom() -> CommitRoom {
        if let refusal, records.head > records.committed { return .refused(refusal) }
        guard needsFlush else {
            isRoomAwaited = false
            return .ready
        }
        if !flusher.isFlushing {
            if isRoomAwaited, let refusal = flusher.refusal {
                isRoomAwaited = false
                return .refused(refusal)
            }
            flusher.start(through: records.committed)
        }
        isRoomAwaited = flusher.isFlushing
        return isRoomAwaited ? .flushing : .ready
    }

    /// True when a commit that began now would have to wait for a flush.
    private var needsFlush: Bool {
        guard failStop.cause == nil, !isCommitting, records.head > records.committed else { return false }
        let count = records.uncommittedBytes
        return journal.fits(count) ? !journal.hasRoom(for: count, flushed: records.flushed) : flusher.isFlushing
    }

    /// Begins a commit; nil when there is nothing to commit. Where both halves of the journal are full it waits for a
    /// flush; where the turn is more than a half has room for, it goes into blocks at once, in one commit of the
    /// environment.
    ///
    /// - Throws: `.full` where there is no room; after anything else the process has to stop.
    func begin() throws(StorageError) -> CommitJob? {
        try failStop.check()
        precondition(!isCommitting, "One commit is under way at a time.")
        guard records.head > records.committed else { return nil }
        if let refusal { throw refusal }
        let count = records.uncommittedBytes
        let begun = journal.fits(count) ? try journalCommit(count) : try blockCommit()
        pending = begun
        return begun.job
    }

    /// Takes note of how a commit's job ended.
    ///
    /// - Throws: what the result says.
    func finish(_ job: CommitJob, _ result: Result<Void, StorageError>) throws(StorageError) {
        guard let ended = pending, ended.job === job else {
            preconditionFailure("The commit that ends is the one under way.")
        }
        pending = nil
        do throws(StorageError) {
            try result.get()
        } catch {
            if case .blocks = ended.target { flusher.commitFailed() }
            throw failStop.noted(error)
        }
        records.wereCommitted(through: job.through, at: job.time)
        switch ended.target {
        case .journal(let entry): journal.written(entry)
        case .blocks: try flusher.commitSucceeded()
        }
        flushIfWaiting()
    }

    /// Waits for what is under way and flushes; what cannot be flushed stays in the journal.
    func close() {
        do throws(StorageError) {
            try flusher.wait()
            if !isCommitting { try flusher.flush() }
        } catch {}
    }

    private func journalCommit(_ count: Int) throws(StorageError) -> Pending {
        while !journal.makeRoom(for: count, flushed: records.flushed) { try flusher.flush() }
        let first = records.committed.value + 1
        let entry = journal.entry(first: first, count: Int(records.head.value + 1 - first), records.uncommitted)
        let job = CommitJob(through: records.head, time: records.lastTime) { [journal] () throws(StorageError) in
            try journal.write(entry)
        }
        return Pending(job: job, target: .journal(entry))
    }

    private func blockCommit() throws(StorageError) -> Pending {
        let flush = try flusher.beginCommit()
        let job = CommitJob(through: records.head, time: records.lastTime) { () throws(StorageError) in
            flush.run()
            _ = try flush.wait().get()
        }
        return Pending(job: job, target: .blocks)
    }

    /// Flushes once there are full blocks for all that the other half of the journal holds.
    private func flushIfWaiting() {
        guard flusher.refusal == nil, records.flushed < journal.waiting, let full = records.lastFull,
            full >= journal.waiting
        else { return }
        flusher.start(through: full)
    }
}
