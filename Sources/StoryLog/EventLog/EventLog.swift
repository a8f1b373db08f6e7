import StoryStorage
package import StoryCore

/// The log of all events, appended turn by turn.
///
/// What is appended is seen by readings at once, and is durable after a commit. When a commit throws `.full`,
/// `rollBack` and go on; when it throws anything else, whether the turn is on the disk is unknown and the process has
/// to stop: every later commit throws as well.
package protocol EventLog: AnyObject {
    /// The last event, of this turn or before; zero when there is none.
    var head: Position { get }
    /// The last event that is durable.
    var committed: Position { get }
    /// The last event that is durable in a block as well, so that models may be stored that rest on it.
    var flushed: Position { get }
    /// When the last event was written; nil when there is none.
    var lastTime: Instant? { get }
    /// The bytes that the log takes.
    var bytes: Int { get }
    /// The history that the log holds, and those that it was copied from.
    var storedIdentity: StoredIdentity { get }

    /// Adds the event after `head`; `json` is its whole line as it goes out on the wire, without the LF.
    ///
    /// - Parameter lend: is handed the record where it lies now; it may read the log, but not append.
    /// - Throws: nothing that has to do with the disk: it is told by the commit.
    func append(
        _ event: EventHeader, json: UnsafeRawBufferPointer, _ lend: (EventRecord) -> Void
    ) throws(StorageError)

    /// Sees to it that the next commit does not have to wait: begins a flush where it needs one.
    func makeRoom() -> CommitRoom
    /// Begins to make durable what was appended; nil when nothing was. Run the job, on any thread, then hand it to
    /// `finishCommit`. What is appended meanwhile belongs to the next commit.
    ///
    /// - Throws: `.full` where there is no room; after anything else the process has to stop.
    func beginCommit() throws(StorageError) -> CommitJob?
    /// Takes note of how a job ended; on the thread that appends.
    ///
    /// - Throws: what the result says.
    func finishCommit(_ job: CommitJob, _ result: Result<Void, StorageError>) throws(StorageError)
    /// Forgets everything after `committed`; not while a commit is under way.
    ///
    /// - Throws: what the log is now is unknown, and the process has to stop.
    func rollBack() throws(StorageError)

    /// Begins to put into blocks what is committed, where there is enough for whole ones, and returns at once.
    func startFlush()
    /// Begins to put into blocks what is committed, at least through a position that is, and returns at once. Nothing
    /// begins where it is in blocks, or while a flush or a commit into blocks is under way.
    func startFlush(through position: Position)
    /// True while a flush is under way that `startFlush` or a commit began.
    var isFlushing: Bool { get }
    /// Takes note of a flush that has ended; call it when `whenFlushed` was called.
    ///
    /// - Throws: `.full` when nothing is lost and it is tried again later; after anything else the process has to stop.
    func pollFlush() throws(StorageError)
    /// Puts all that is committed into blocks, and waits for it.
    ///
    /// - Throws: as `pollFlush`.
    func flush() throws(StorageError)

    /// Visits the events from `from` through `through`, in either order, until `visit` returns false.
    ///
    /// What `visit` is handed dies when it returns. It may read the log again, but not append.
    /// - Throws: `.corrupt` with the position of an event that is not as it was written.
    func scan(
        from: Position, through: Position, order: Order, _ visit: (EventRecord) -> Bool
    ) throws(StorageError)
    /// Visits one event; false when there is none at that position.
    ///
    /// - Throws: as `scan`.
    func record(at position: Position, _ visit: (EventRecord) -> Void) throws(StorageError) -> Bool
    /// Visits the events at these positions in the order given, until `visit` returns false or one is past the head.
    ///
    /// - Throws: as `scan`.
    func records(at positions: [Position], _ visit: (EventRecord) -> Bool) throws(StorageError)
    /// The last position whose event was written at or before a time; zero when there is none.
    ///
    /// - Throws: as `scan`.
    func position(at time: Instant) throws(StorageError) -> Position

    /// Walks all that is committed.
    ///
    /// - Throws: `.corrupt`, naming the first position that is not as it was written.
    func verify(progress: (Position) -> Void) throws(StorageError)
    /// Frees what readers hold whose process died.
    func clearStaleReaders()
    func close()
}

extension EventLog {
    /// The same history by the names that clients know.
    package var identity: LogIdentity { storedIdentity.named }
    /// 16 random bytes that tell this log from every other one.
    package var storeID: [UInt8] { storedIdentity.id }

    /// Adds the event after `head`.
    ///
    /// - Throws: as the requirement.
    package func append(_ event: EventHeader, json: UnsafeRawBufferPointer) throws(StorageError) {
        try append(event, json: json) { _ in }
    }

    /// Makes what was appended durable, here and now.
    ///
    /// - Throws: as `beginCommit` and `CommitJob.run`.
    package func commit() throws(StorageError) {
        guard let job = try beginCommit() else { return }
        try finishCommit(job, job.outcome)
    }
}

/// Whether a commit can begin without waiting for the disk.
package enum CommitRoom: Equatable, Sendable {
    /// It can, or there is nothing to commit.
    case ready
    /// Not before the flush that is under way has ended.
    case flushing
    /// The flush that it waited for found no room.
    case refused(StorageError)
}

/// One commit under way: a write and a sync, which any thread may do.
package final class CommitJob: Sendable {
    /// The last event that is durable when it succeeds.
    package let through: Position
    /// When that was written.
    let time: Instant?
    private let work: @Sendable () throws(StorageError) -> Void

    init(through: Position, time: Instant?, _ work: @escaping @Sendable () throws(StorageError) -> Void) {
        self.through = through
        self.time = time
        self.work = work
    }

    /// Does it, once.
    ///
    /// - Throws: `.full` where there is no room, and nothing is changed; after anything else it is unknown whether the
    ///   commit is durable.
    package func run() throws(StorageError) { try work() }

    /// Does it, once; returns how it ended.
    package var outcome: Result<Void, StorageError> {
        do throws(StorageError) { return .success(try run()) } catch { return .failure(error) }
    }
}
