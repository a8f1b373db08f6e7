import StoryStorage
import StoryCore

/// The flusher of a log: moves committed records from memory into blocks, one flush at a time, on a background thread
/// while commits continue, or on the calling thread.
///
/// It belongs to the thread that appends; only the job may run on another thread.
final class BlockFlusher {
    /// The state of the flusher.
    private enum State {
        case idle
        /// A started flush is under way.
        case flushing(FlushJob)
        /// A commit straight into blocks is under way; no flush begins meanwhile.
        case committing(FlushJob)
        /// Records are overwritten in their blocks; no flush and no commit into blocks begins meanwhile.
        case erasing
    }

    private let whenFlushed: @Sendable () -> Void
    /// The error of the last flush; nil if it succeeded.
    private(set) var refusal: StorageError?
    /// The first error after which the state of the disk is unknown: from then on no commit and no flush begins.
    private(set) var failure: StorageError?
    private let records: LogRecords
    private let environment: Environment
    private let background: BackgroundStarter
    /// The file that has the orders of the blocks before they are stored.
    private let ledger: ErasureLedger
    /// The seal of the last block.
    private var seal: Seal
    private var state = State.idle

    /// Makes a flusher that continues after the last block.
    ///
    /// - Parameters:
    ///   - seal: the seal of the last block.
    ///   - whenFlushed: called, usually on another thread, when a started flush has ended.
    init(
        _ records: LogRecords, in environment: Environment, ledger: ErasureLedger, after seal: Seal,
        _ background: BackgroundStarter, whenFlushed: @escaping @Sendable () -> Void
    ) {
        self.whenFlushed = whenFlushed
        self.records = records
        self.environment = environment
        self.seal = seal
        self.background = background
        self.ledger = ledger
    }

    /// True while a commit that needs a flush has to wait.
    var isFlushing: Bool {
        switch state {
        case .flushing, .erasing: true
        case .idle, .committing: false
        }
    }

    /// Lets no flush begin before `erasingEnded`, since records are overwritten in their blocks.
    ///
    /// - Returns: false while a flush is under way.
    func erasingBegins() -> Bool {
        guard case .idle = state, failure == nil else { return false }
        state = .erasing
        return true
    }

    /// Notes that no record is overwritten any more.
    func erasingEnded() {
        if case .erasing = state { state = .idle }
    }

    private func job(_ sections: [BlockSection]) -> FlushJob {
        FlushJob(sections, after: seal, in: environment, orders: records.orders.map(\.eraser), ledger: ledger)
    }

    /// Begins a flush through a committed position, unless a flush or a commit into blocks is under way, an error was
    /// fatal, or there is nothing to flush.
    func start(through position: Position) {
        guard case .idle = state, failure == nil else { return }
        let sections = records.unflushed(through: position)
        guard !sections.isEmpty else { return }
        let job = job(sections)
        state = .flushing(job)
        // Without a thread it runs here, and wakes the loop all the same.
        guard !job.work.start(on: background, whenDone: whenFlushed) else { return }
        job.work.run()
        whenFlushed()
    }

    /// Begins a flush of the records that fill whole blocks.
    func startFull() {
        guard let full = records.lastFull else { return }
        start(through: full)
    }

    /// Begins a flush at least through a committed position.
    func startAtLeast(through position: Position) {
        precondition(
            position <= records.committed,
            "flush through position \(position.value), but only \(records.committed.value) is committed")
        guard position > records.flushed else { return }
        // Flushes whole blocks only, if they reach that far.
        let full = records.lastFull ?? .zero
        start(through: full >= position ? full : records.committed)
    }

    /// Completes a flush that has ended.
    ///
    /// - Throws: `.full` if there was no room: nothing is lost, and the flush is tried again later. After any other
    ///   error the process has to stop.
    func poll() throws(StorageError) {
        try check()
        guard case .flushing(let job) = state, let result = job.work.result else { return }
        try finish(job, result)
    }

    /// Waits for the flush that is under way. If it finds no room, the caller has to try again.
    ///
    /// - Throws: as `poll`, but not `.full`.
    func wait() throws(StorageError) {
        guard case .flushing(let job) = state else { return }
        do throws(StorageError) {
            try finish(job, job.work.wait())
        } catch {
            guard case .full = error else { throw error }
        }
    }

    /// Flushes all committed records on the calling thread.
    ///
    /// - Throws: as `poll`.
    func flush() throws(StorageError) {
        try check()
        try wait()
        guard case .idle = state else { preconditionFailure("flush during a commit into blocks, or an erasure") }
        let sections = records.unflushed
        guard !sections.isEmpty else { return }
        let job = job(sections)
        try finish(job, job.work.wait())
    }

    /// Begins a commit straight into blocks of all records through a position that are in none yet; the caller runs the
    /// job.
    ///
    /// - Throws: as `wait`.
    func beginCommit(through position: Position) throws(StorageError) -> FlushJob {
        try wait()
        let job = job(records.unflushed(through: position))
        state = .committing(job)
        return job
    }

    /// Ends a commit into blocks that has failed; the caller handles the error.
    func commitFailed() { state = .idle }

    /// Completes a commit into blocks that has succeeded, after its records were marked as committed.
    ///
    /// - Throws: as `poll`.
    func commitSucceeded() throws(StorageError) {
        guard case .committing(let job) = state else { preconditionFailure("no commit into blocks is under way") }
        try finish(job, job.work.wait())
    }

    /// Throws the failure that was recorded, if there is one.
    func check() throws(StorageError) {
        if let failure { throw failure }
    }

    /// Records a failure and returns it; `.full` is not recorded.
    func noted(_ error: StorageError) -> StorageError {
        if case .full = error { return error }
        failure = failure ?? error
        return error
    }

    /// Takes over the blocks that a job has stored.
    private func finish(_ job: FlushJob, _ result: Result<Seal, StorageError>) throws(StorageError) {
        state = .idle
        do throws(StorageError) {
            seal = try result.get()
        } catch {
            refusal = error
            throw noted(error)
        }
        refusal = nil
        records.wereFlushed(by: job)
    }
}
