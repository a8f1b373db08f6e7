import Glibc
package import StoryCore

/// The log in an LMDB environment of its own: one record a position in the unnamed database.
///
/// In front of it stands a journal. A commit is durable once the journal has it; the environment's transaction stays
/// open, and readings see all of it there. It is committed by `flush`, or with a turn that the journal has no room for.
/// The log belongs to the thread that appends to it.
package final class LMDBEventLog: EventLog {
    package private(set) var head: Position
    package private(set) var committed: Position
    package private(set) var flushed: Position
    package private(set) var lastTime: Instant?
    package var storeID: [UInt8] { header.storeID }
    package var bytes: Int { environment.usedBytes }

    let environment: Environment
    let header: LogHeader
    let staged = StagedRecord()
    /// Nil where another process may be writing.
    let places: RecordPlaces?
    /// What the journal holds beyond the environment, in a log that is opened for reading.
    private(set) var tail: JournalTail?
    /// Only where the log is served.
    private(set) var journal: CommitJournal?
    private let access: DataDirectory.Access
    let journalPath: String
    private var committedTime: Instant?
    private var lastSeal: Seal
    let hasher: SealHasher
    private var writer: WriteTransaction?
    private var reader: ReadTransaction?
    private var readings = 0
    /// True while the writer holds records of this turn.
    private var isTurnPut = false
    /// True once it is unknown what the disk holds.
    private var isSuspect = false

    /// Opens the log of a data directory; where there is none, one that serves makes it.
    ///
    /// - Parameters:
    ///   - now: when the log was made, if it is made.
    ///   - journalSize: the bytes of the journal, if it is made.
    package init(
        in directory: DataDirectory, now: Instant, _ options: EnvironmentOptions = EnvironmentOptions(),
        journalSize: Int = CommitJournal.fileSize
    ) throws(StorageError) {
        if directory.access == .serving { try LMDBEventLog.createIfMissing(directory, now) }
        access = directory.access
        journalPath = directory.journalPath
        environment =
            access == .reading
            ? try .openReadOnly(at: directory.logPath, options) : try .open(at: directory.logPath, options)
        hasher = try SealHasher()
        places = access == .serving ? RecordPlaces() : nil
        let reader = try ReadTransaction(environment)
        let state = try LogState(reader.handle, hasher)
        reader.reset()
        self.reader = consume reader
        header = state.header
        head = state.head
        committed = state.head
        flushed = state.head
        lastTime = state.lastTime
        committedTime = state.lastTime
        lastSeal = state.lastSeal
        do throws(StorageError) {
            try access == .serving ? recover(directory, after: state, journalSize) : refresh()
        } catch {
            isSuspect = true
            close()
            throw error
        }
    }

    deinit { close() }

    package func append(_ event: EventPlace, json: UnsafeRawBufferPointer) throws(StorageError) {
        precondition(access == .serving, "Only a log that is served is appended to.")
        precondition(event.position == head.next, "An event's position is the one after the head.")
        precondition(readings == 0, "Nothing is appended while the log is being read.")
        if staged.position != nil { try put(isLast: false) }
        staged.hold(event, json)
        head = event.position
        lastTime = event.time
    }

    package func commit() throws(StorageError) {
        guard let seal = try put(isLast: true), let journal else { return }
        if journal.hasRoom {
            try guarded { () throws(StorageError) in try journal.write(first: committed.next) }
        } else {
            try commitWriter(through: head)
        }
        isTurnPut = false
        lastSeal = seal
        committed = head
        committedTime = lastTime
    }

    /// Commits at once: this log has no part of a commit that another thread could do.
    package func beginCommit() -> (any PendingCommit)? {
        guard head > committed else { return nil }
        do throws(StorageError) {
            return EndedCommit(outcome: .success(try commit()))
        } catch {
            return EndedCommit(outcome: .failure(error))
        }
    }

    package func finishCommit(_ result: Result<Void, StorageError>) throws(StorageError) { try result.get() }

    package func rollBack() throws(StorageError) {
        dropTurn()
        // The transaction held the turns before as well, which are committed.
        guard isTurnPut || writer == nil else { return }
        isTurnPut = false
        writer = nil
        try restoreOrStop()
    }

    package func flush() throws(StorageError) {
        precondition(head == committed, "The log is flushed between two turns.")
        guard flushed < committed else { return }
        do throws(StorageError) {
            try commitWriter(through: committed)
        } catch {
            if case .full = error { try restoreOrStop() }
            throw error
        }
    }

    /// Finds what another process has appended meanwhile; for a log opened for reading.
    package func refresh() throws(StorageError) {
        precondition(access != .serving, "Only a log opened for reading is behind.")
        let (state, tail) = try newest()
        self.tail = tail
        flushed = state.head
        head = tail.map { Position($0.last) } ?? state.head
        committed = head
        lastTime = tail?.lastTime ?? state.lastTime
    }

    package func close() {
        // What is not flushed stays in the journal.
        if writer != nil, head == committed, !isSuspect { do throws(StorageError) { try flush() } catch {} }
        dropTurn()
        writer = nil
        reader = nil
        environment.close()
    }

    // MARK: Writing

    /// Begins, if need be, and puts the staged record; answers the seal where it ends the commit.
    @discardableResult
    private func put(isLast: Bool) throws(StorageError) -> Seal? {
        guard let position = staged.position else { return nil }
        if writer == nil { writer = try WriteTransaction(environment) }
        if !isTurnPut { hasher.begin(after: lastSeal) }
        isTurnPut = true
        isLast ? staged.closeSealed() : staged.close()
        hasher.add(staged.bytes)
        let seal = isLast ? hasher.finish() : nil
        if let seal { staged.append(seal) }
        try put(staged.bytes, at: position.value)
        journal?.add(staged.bytes)
        staged.release()
        return seal
    }

    /// True when a record that was found lies in the map itself. What the open transaction changed lies elsewhere, in
    /// memory that is gone when it ends; but it appends, so of what was flushed it changes the last page alone.
    func liesInMap(_ position: Position) -> Bool {
        writer == nil || position.value + recordsOfPage <= flushed.value
    }

    /// More records than one page has room for: of a record that has pages of its own, there is a node of over 16 bytes.
    private var recordsOfPage: UInt64 { UInt64(environment.pageSize / 16) }

    private func put(_ record: UnsafeRawBufferPointer, at position: UInt64) throws(StorageError) {
        try PositionKey.with(position) { (key) throws(StorageError) in
            try writer?.append(record, in: .main, at: key)
        }
    }

    /// Commits the open transaction, which ends with the event at this position; the journal begins anew.
    private func commitWriter(through position: Position) throws(StorageError) {
        guard let transaction = writer.take() else { preconditionFailure("What is not flushed is in a transaction.") }
        do throws(StorageError) { try transaction.commit() } catch { throw noted(error) }
        flushed = position
        journal?.beginAnew()
        environment.coverLastPage()
    }

    /// Forgets what was appended since the last commit, but for what the transaction has of it.
    private func dropTurn() {
        staged.release()
        journal?.dropBlock()
        head = committed
        lastTime = committedTime
    }

    /// Puts what is committed and not flushed into a transaction again.
    private func restore() throws(StorageError) {
        guard flushed < committed, let journal else { return }
        writer = try WriteTransaction(environment)
        try journal.forEachRecord(after: flushed) { (position, record) throws(StorageError) in
            try put(record, at: position)
        }
    }

    /// It was all there a moment ago: where it cannot be put again, readings would miss what is acknowledged.
    private func restoreOrStop() throws(StorageError) {
        do throws(StorageError) { try restore() } catch { throw noted(.failed("\(error), while going back a turn")) }
    }

    private func guarded(_ body: () throws(StorageError) -> Void) throws(StorageError) {
        do throws(StorageError) { try body() } catch { throw noted(error) }
    }

    private func noted(_ error: StorageError) -> StorageError {
        if case .full = error { return error }
        isSuspect = true
        return error
    }

    // MARK: Opening and reading

    /// Takes over what the journal holds. Where there is no room for it, it stays there and is tried again by `flush`.
    private func recover(
        _ directory: DataDirectory, after state: LogState, _ journalSize: Int
    ) throws(StorageError) {
        let journal = try CommitJournal(at: journalPath, storeID: header.storeID, fileSize: journalSize)
        // A killed process may have written both without the sync; what rests on them below must not be lost alone.
        try environment.sync()
        try journal.sync()
        let contents = try journal.recover(after: state, hasher)
        try directory.raiseFormat()
        self.journal = journal
        (head, committed) = (contents.head, contents.head)
        (lastTime, committedTime) = (contents.lastTime, contents.lastTime)
        lastSeal = contents.lastSeal
        try restore()
        do throws(StorageError) {
            try flush()
        } catch {
            guard case .full = error, flushed < committed else { throw error }
        }
    }

    /// Runs a reading over what is committed and what this turn has put; readings may be nested.
    func reading<Result>(
        _ body: (OpaquePointer) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        readings += 1
        defer { readings -= 1 }
        if let handle = writer?.handle { return try body(handle) }
        guard let handle = reader?.handle else { preconditionFailure("A log is not read after it was closed.") }
        if readings == 1 { try reader?.renew() }
        defer { if readings == 1 { reader?.reset() } }
        return try body(handle)
    }

    private static func createIfMissing(_ directory: DataDirectory, _ now: Instant) throws(StorageError) {
        let path = directory.logPath
        guard !Folder.exists(path) else { return }
        for (place, what) in [(directory.modelsPath, "models"), (directory.journalPath, "a journal")] {
            guard !Folder.exists(place) else {
                throw .corrupt("\(directory.path) holds \(what), but its log is gone", at: nil)
            }
        }
        let header = LogHeader(storeID: try RandomBytes.make(LogHeader.storeIDCount), created: now)
        try Environment.create(at: path, EnvironmentOptions()) { (transaction) throws(StorageError) in
            try PositionKey.with(0) { (key) throws(StorageError) in
                try header.bytes.withBytes { (bytes) throws(StorageError) in
                    try transaction.put(bytes, in: .main, at: key)
                }
            }
        }
    }
}

/// A commit that ended as it was begun.
private struct EndedCommit: PendingCommit {
    let outcome: Result<Void, StorageError>

    func run() throws(StorageError) { try outcome.get() }
}
