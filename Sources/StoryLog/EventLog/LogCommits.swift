import StoryStorage
import StoryCore

/// The commits of a log, one at a time: each writes the appended records as an entry of the journal, or as blocks if
/// they exceed a half of the journal.
///
/// It belongs to the thread that appends; only the job of a commit may run on another thread.
final class LogCommits {
    /// The commit that is under way.
    private struct Pending {
        let job: CommitJob
        /// The entry of the journal; nil if the records go straight into blocks, since they exceed a half of it.
        let entry: EntryWriter?
    }

    private(set) var journal: JournalFile
    let flusher: BlockFlusher
    /// The reason why no commit begins; nil if commits may begin.
    let refusal: StorageError?
    private let records: LogRecords
    private var pending: Pending?
    /// True while a commit waits for a flush to make room.
    private var isWaitingForFlush = false
    /// True while no commit may begin, since another journal replaces this one.
    var isHeld = false

    /// Makes the commits of a recovered log.
    ///
    /// - Parameter refusal: the reason why no commit begins; nil if commits may begin.
    init(
        _ journal: JournalFile, _ records: LogRecords, _ flusher: BlockFlusher, refusing refusal: StorageError? = nil
    ) {
        self.refusal = refusal
        self.journal = journal
        self.records = records
        self.flusher = flusher
    }

    /// True while a commit is under way.
    var isCommitting: Bool { pending != nil }

    /// Goes on with an empty journal, while no commit is under way; returns the one before.
    func replaceJournal(by new: NewJournal) -> OldJournal {
        precondition(isHeld && !isCommitting, "the journal is replaced while commits may use it")
        defer { journal = new.file }
        return OldJournal(file: journal)
    }

    /// Returns true while a commit is under way that has events after a position.
    func isCommitting(after position: Position) -> Bool { pending.map { $0.job.through > position } ?? false }

    /// Makes room for the next commit, so that it does not wait: begins a flush if it needs one.
    func ensureSpace(through position: Position) -> CommitRoom {
        if let refusal, position > records.committed { return .refused(refusal) }
        if isHeld { return position > records.committed ? .flushing : .ready }
        guard needsFlush(through: position) else {
            isWaitingForFlush = false
            return .ready
        }
        if !flusher.isFlushing {
            if isWaitingForFlush, let refusal = flusher.refusal {
                isWaitingForFlush = false
                return .refused(refusal)
            }
            flusher.start(through: records.committed)
        }
        isWaitingForFlush = flusher.isFlushing
        return isWaitingForFlush ? .flushing : .ready
    }

    /// True if a commit that began now would have to wait for a flush.
    private func needsFlush(through position: Position) -> Bool {
        guard flusher.failure == nil, !isCommitting, position > records.committed else { return false }
        let count = records.uncommittedBytes(through: position)
        return journal.fits(count) ? !journal.hasRoom(for: count, flushed: records.flushed) : flusher.isFlushing
    }

    /// Begins a commit through a position; nil if there is nothing to commit. If both halves of the journal are full, it flushes first. If
    /// the records exceed a half, they go straight into blocks, in one commit of the environment.
    ///
    /// - Throws: `.full` if there is no room; after any other error the process has to stop.
    func begin(through position: Position) throws(StorageError) -> CommitJob? {
        try flusher.check()
        precondition(!isCommitting, "begin of a commit during another one")
        guard position > records.committed else { return nil }
        if let refusal { throw refusal }
        let count = records.uncommittedBytes(through: position)
        let begun =
            journal.fits(count) ? try journalCommit(count, through: position) : try blockCommit(through: position)
        pending = begun
        return begun.job
    }

    /// Ends a commit: its records are committed if they were acknowledged, and else stay as they are.
    ///
    /// - Throws: an error after which the process has to stop, as `failed` has it, or as taking over stored blocks.
    func finish(_ job: CommitJob, _ end: CommitEnd) throws(StorageError) {
        guard let ended = pending, ended.job === job else {
            preconditionFailure("end of a commit through position \(job.through.value) that is not under way")
        }
        pending = nil
        switch end {
        case .acknowledged: break
        case .refused, .failed:
            if ended.entry == nil { flusher.commitFailed() }
            guard case .failed(let error) = end else { return }
            throw flusher.noted(error)
        }
        records.wereCommitted(through: job.through, at: job.time)
        if let entry = ended.entry { journal.written(entry) } else { try flusher.commitSucceeded() }
        flushIfWaiting()
    }

    /// Waits for a flush that is under way, then flushes the rest; records that cannot be flushed stay in the journal.
    func close() {
        flusher.erasingEnded()
        do throws(StorageError) {
            try flusher.wait()
            if !isCommitting { try flusher.flush() }
        } catch {}
    }

    private func journalCommit(_ count: Int, through position: Position) throws(StorageError) -> Pending {
        while !journal.ensureSpace(for: count, flushed: records.flushed) { try flusher.flush() }
        let first = records.committed.value + 1
        let entry = journal.entry(
            first: first, count: Int(position.value + 1 - first), records.uncommitted(through: position))
        let job = CommitJob(
            through: position, time: try records.time(at: position), entry.sections
        ) { [journal] () throws(StorageError) in try journal.write(entry) }
        return Pending(job: job, entry: entry)
    }

    private func blockCommit(through position: Position) throws(StorageError) -> Pending {
        let flush = try flusher.beginCommit(through: position)
        let job = CommitJob(
            through: position, time: try records.time(at: position), records.uncommitted(through: position)
        ) { () throws(StorageError) in _ = try flush.work.wait().get() }
        return Pending(job: job, entry: nil)
    }

    /// Begins a flush once whole blocks cover all that the other half of the journal holds.
    private func flushIfWaiting() {
        guard flusher.refusal == nil, records.flushed < journal.waiting, let full = records.lastFull,
            full >= journal.waiting
        else { return }
        flusher.start(through: full)
    }
}
