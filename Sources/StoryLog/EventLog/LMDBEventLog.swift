package import StoryStorage
import Glibc
package import StoryCore

/// The log in an LMDB environment of its own, with a journal in front of it.
///
/// The environment holds sealed blocks, keyed by their first position, and at key 0 the header. A commit is durable
/// once the journal has it; its records lie in memory as well, until a flush has put them into blocks. A reading goes
/// to the map or to that memory, nowhere else. No transaction stays open. The log belongs to the thread that appends
/// to it; a flush has a thread of its own.
package final class LMDBEventLog: EventLog {
    package internal(set) var head: Position
    package internal(set) var committed: Position
    package internal(set) var flushed: Position
    package internal(set) var lastTime: Instant?
    package var identity: LogIdentity { header.identity.named }
    package var storeID: [UInt8] { header.identity.id }
    package var bytes: Int { environment.usedBytes }
    /// Called on another thread when a flush has ended: have `pollFlush` called.
    package var whenFlushed: (@Sendable () -> Void)?

    let environment: Environment
    let header: LogHeader
    let access: DataDirectory.Access
    let journalPath: String
    let map: BlockMap
    /// The seal of the last block.
    var seal: Seal
    let hasher: SealHasher
    /// What is not in blocks.
    var memory: JournalMemory
    /// Only where the log is served.
    var journal: JournalFile?
    var committedTime: Instant?
    var committing: PendingCommit?
    var flushing: FlushJob?
    /// Why the last flush could not be done; nil when it was.
    var flushRefusal: StorageError?
    /// True while a commit waits for a flush to make room.
    var isRoomAwaited = false
    /// Why it is unknown what the disk holds; then nothing is committed any more.
    var fatal: StorageError?
    var reader: ReadTransaction?
    var readings = 0
    /// True while the reader has a view.
    var hasView = false
    private let salts = Salts()

    /// Opens the log of a data directory. One that serves makes it where there is none, and converts one of an older
    /// format.
    ///
    /// - Parameters:
    ///   - now: when the log was made, if it is made.
    ///   - journalSize: the bytes of the journal; one of another size is replaced.
    ///   - progress: hears how far a conversion is.
    /// - Throws: `.corrupt` where the directory does not hold what was written, `.failed` where it cannot be opened,
    ///   `.full` where there is no room to make or convert it.
    package init(
        in directory: DataDirectory, now: Instant, _ options: EnvironmentOptions = EnvironmentOptions(),
        journalSize: Int = JournalFile.usualSize, converting progress: ConversionProgress? = nil
    ) throws(StorageError) {
        if directory.access == .serving {
            try Conversion.runIfNeeded(directory, options, journalSize, progress)
            try LMDBEventLog.createIfMissing(directory, now, journalSize)
        }
        access = directory.access
        journalPath = directory.journalPath
        environment =
            access == .reading
            ? try .openReadOnly(at: directory.logPath, options) : try .open(at: directory.logPath, options)
        hasher = try SealHasher()
        do throws(StorageError) {
            // A process killed in a commit may have left LMDB's lock file behind: only a writer repairs it.
            if access == .serving { _ = try WriteTransaction(environment) }
            map = BlockMap(pageSize: environment.pageSize)
            let reader = try ReadTransaction(environment)
            let state = try LogState(reader.handle, map, hasher)
            reader.reset()
            self.reader = consume reader
            (header, seal) = (state.header, state.seal)
            (head, committed, flushed) = (state.head, state.head, state.head)
            (lastTime, committedTime) = (state.lastTime, state.lastTime)
            memory = JournalMemory(after: state.head)
        } catch {
            environment.close()
            throw error
        }
        do throws(StorageError) {
            try access == .serving ? recover(journalSize) : refresh()
        } catch {
            fatal = error
            close()
            throw error
        }
    }

    deinit { close() }

    package func append(
        _ event: EventHeader, json: UnsafeRawBufferPointer, _ lend: (EventRecord) -> Void
    ) throws(StorageError) {
        precondition(access == .serving, "Only a log that is served is appended to.")
        precondition(event.position == head.next, "An event's position is the one after the head.")
        precondition(readings == 0, "Nothing is appended while the log is being read.")
        let record = RecordWriter(event, json)
        let block = memory.block(for: event.position.value, record.count)
        let start = block.target
        record.write(json, salts, to: start)
        block.added(record.count)
        head = event.position
        lastTime = event.time
        lend(record.record(at: start))
    }

    package func rollBack() {
        precondition(committing == nil, "Nothing is rolled back while a commit is under way.")
        precondition(readings == 0, "Nothing is rolled back while the log is being read.")
        memory.remove(after: committed)
        head = committed
        lastTime = committedTime
    }

    /// Frees the slots of readers whose process died, whose views would keep pages from being used again.
    package func clearStaleReaders() { environment.clearStaleReaders() }

    package func close() {
        guard isOpen else { return }
        isOpen = false
        if let job = flushing { finish(job, job.wait()) }
        // What is not flushed stays in the journal.
        if access == .serving, fatal == nil, committing == nil {
            do throws(StorageError) { try flush() } catch {}
        }
        reader = nil
        environment.close()
    }

    private var isOpen = true
}
