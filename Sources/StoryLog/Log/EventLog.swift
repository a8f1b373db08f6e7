package import StoryCore

/// The log of all events, appended turn by turn.
///
/// What is appended is seen by readings at once and is durable after `commit`. When `append` or `commit` throws
/// `.full`, `rollBack` and go on; when `commit` throws anything else, whether the turn is on the disk is unknown and
/// the process has to stop.
///
/// A commit may end later than the turn: `beginCommit`, `run` on any thread, `finishCommit`; appending goes on meanwhile.
package protocol EventLog: AnyObject {
    /// The last event, of this turn or before; zero when there is none.
    var head: Position { get }
    /// The last event that is durable.
    var committed: Position { get }
    /// The last event that is durable in the log's own place as well, so that models may be stored that rest on it.
    var flushed: Position { get }
    /// When the last event was written; nil when there is none.
    var lastTime: Instant? { get }
    /// The bytes that the log takes.
    var bytes: Int { get }
    /// 16 random bytes that tell this log from every other one.
    var storeID: [UInt8] { get }

    /// Adds the event after `head`; `json` is its whole line as it goes out on the wire, without the LF.
    func append(_ event: EventPlace, json: UnsafeRawBufferPointer) throws(StorageError)
    /// Begins to make durable what was appended so far; nil when nothing was. One at a time.
    func beginCommit() -> (any PendingCommit)?
    /// Moves `committed` to where the commit that was begun reaches, on the log's thread, once it was run.
    ///
    /// - Throws: What the commit's `run` threw; then `committed` stays where it was.
    func finishCommit(_ result: Result<Void, StorageError>) throws(StorageError)
    /// Makes what was appended durable: begins a commit, runs it and finishes it.
    func commit() throws(StorageError)
    /// Forgets what is after `committed`; no commit may be under way.
    ///
    /// - Throws: What it is now is unknown, and the process has to stop.
    func rollBack() throws(StorageError)
    /// Takes what is committed over into the log's own place; between two turns.
    ///
    /// When it throws `.full`, nothing is lost, and it may be tried again; after anything else the process has to stop.
    func flush() throws(StorageError)

    /// Visits the events from `from` through `through`, in either order, until `visit` answers false.
    ///
    /// What `visit` is handed dies when it returns. It may read the log again, but not append.
    func scan(
        from: Position, through: Position, order: Order, _ visit: (EventRecord) -> Bool
    ) throws(StorageError)
    /// Visits one event; false when there is none at that position.
    func record(at position: Position, _ visit: (EventRecord) -> Void) throws(StorageError) -> Bool
    /// Visits the events at these positions in the order given, until `visit` answers false or one is past the head.
    func records(at positions: [Position], _ visit: (EventRecord) -> Bool) throws(StorageError)
    /// The last position whose event was written at or before a time; zero when there is none.
    func position(at time: Instant) throws(StorageError) -> Position

    /// Walks all that is committed and throws `.corrupt`, naming the first position that is not as it was written.
    func verify(progress: (Position) -> Void) throws(StorageError)
    func close()
}

/// A commit that was begun and is not finished.
package protocol PendingCommit: Sendable {
    /// Writes and syncs; on any thread.
    ///
    /// - Throws: `.full` where nothing was written; after anything else it is unknown what the disk holds.
    func run() throws(StorageError)
}

extension PendingCommit {
    /// What `run` comes to.
    package var outcome: Result<Void, StorageError> {
        do throws(StorageError) { return .success(try run()) } catch { return .failure(error) }
    }
}

extension EventLog {
    package func commit() throws(StorageError) {
        guard let pending = beginCommit() else { return }
        try finishCommit(pending.outcome)
    }
}
