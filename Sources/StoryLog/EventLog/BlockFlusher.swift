import StoryStorage
import StoryCore

/// Puts into blocks what is committed and lies in memory: one flush at a time, on a thread of its own while commits go
/// on, or here.
///
/// It belongs to the thread that appends; only the job is another thread's.
final class BlockFlusher {
    private enum State {
        case idle
        /// A flush is under way beside the loop.
        case flushing(FlushJob)
        /// A commit is under way that goes into blocks at once; no flush begins beside it.
        case committing(FlushJob)
    }

    /// Called on another thread when a flush has ended that was started.
    var whenFlushed: (@Sendable () -> Void)?
    /// Why the last flush could not be done; nil when it was.
    private(set) var refusal: StorageError?
    private let records: LogRecords
    private let store: BlockStore
    private let failStop: FailStop
    private let background: BackgroundStarter
    /// The seal of the last block.
    private var seal: Seal
    private var state = State.idle

    /// - Parameter seal: that of the last block.
    init(
        _ records: LogRecords, _ store: BlockStore, after seal: Seal, _ failStop: FailStop,
        _ background: BackgroundStarter
    ) {
        self.records = records
        self.store = store
        self.seal = seal
        self.failStop = failStop
        self.background = background
    }

    var isFlushing: Bool { if case .flushing = state { true } else { false } }

    /// Begins a flush through a position that is committed, unless something is under way or nothing is to be stored.
    func start(through position: Position) {
        guard case .idle = state, failStop.cause == nil else { return }
        let sections = records.unflushed(through: position)
        guard !sections.isEmpty else { return }
        let job = FlushJob(sections, after: seal, store)
        state = .flushing(job)
        job.start(on: background, whenDone: whenFlushed)
    }

    /// Begins a flush of what fills whole blocks.
    func startFull() {
        guard let full = records.lastFull else { return }
        start(through: full)
    }

    /// Begins a flush of at least what there is through a position that is committed.
    func startAtLeast(through position: Position) {
        precondition(position <= records.committed, "Only what is committed is put into blocks.")
        guard position > records.flushed else { return }
        // Whole blocks alone, where they reach that far.
        let full = records.lastFull ?? .zero
        start(through: full >= position ? full : records.committed)
    }

    /// Takes note of a flush that has ended.
    ///
    /// - Throws: `.full` when nothing is lost and it is tried again later; after anything else the process has to stop.
    func poll() throws(StorageError) {
        try failStop.check()
        guard case .flushing(let job) = state, let result = job.result else { return }
        try finish(job, result)
    }

    /// Waits for the flush that is under way; one that found no room is tried again by whoever waits.
    ///
    /// - Throws: as `poll`, but not `.full`.
    func wait() throws(StorageError) {
        guard case .flushing(let job) = state else { return }
        do throws(StorageError) {
            try finish(job, job.wait())
        } catch {
            guard case .full = error else { throw error }
        }
    }

    /// Puts all that is committed into blocks, here and now.
    ///
    /// - Throws: as `poll`.
    func flush() throws(StorageError) {
        try failStop.check()
        try wait()
        guard case .idle = state else { preconditionFailure("Nothing is flushed while a commit goes into blocks.") }
        let sections = records.unflushed
        guard !sections.isEmpty else { return }
        let job = FlushJob(sections, after: seal, store)
        job.run()
        try finish(job, job.wait())
    }

    /// Begins a commit of everything into blocks, with all that was not in blocks before; the caller runs the job.
    ///
    /// - Throws: as `wait`.
    func beginCommit() throws(StorageError) -> FlushJob {
        try wait()
        let job = FlushJob(records.unflushed(through: records.head), after: seal, store)
        state = .committing(job)
        return job
    }

    /// A commit into blocks has failed, and who began it deals with that.
    func commitFailed() { state = .idle }

    /// A commit into blocks has succeeded, and its records are committed.
    ///
    /// - Throws: as `poll`.
    func commitSucceeded() throws(StorageError) {
        guard case .committing(let job) = state else { preconditionFailure("A commit ends once.") }
        try finish(job, job.wait())
    }

    /// Takes over what a job has stored.
    private func finish(_ job: FlushJob, _ result: Result<Seal, StorageError>) throws(StorageError) {
        state = .idle
        do throws(StorageError) {
            seal = try result.get()
        } catch {
            refusal = error
            throw failStop.noted(error)
        }
        refusal = nil
        records.wereFlushed(by: job)
    }
}
