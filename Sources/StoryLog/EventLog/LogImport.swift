import StoryStorage
package import StoryCore

/// Fills a new data directory with events that have their positions, versions and times already: whole or not at all.
///
/// It is built beside its place and appears there once it is whole, durable and verified. It is a history of its own,
/// with a new ID and no parent: lines do not tell which log they come from.
package final class LogImport {
    /// Why an event cannot be added.
    package enum Refusal: Error {
        /// It does not follow the events before it.
        case misplaced(FieldError)
        case storage(StorageError)
    }

    /// About so many bytes of events go into one commit.
    private static let piece = 1 << 20

    private let folder: NewFolder
    private let directory: DataDirectory
    private let log: LMDBEventLog
    private var streams: [StreamName: (number: StreamNumber, version: Version)] = [:]
    private var keys: Set<RequestKey> = []
    /// The key of the last event.
    private var lastKey: RequestKey?
    private var waiting = 0
    private var isOpen = true

    /// Begins a directory beside `path`, where nothing may be but an empty folder.
    ///
    /// - Parameter now: when the log is made.
    /// - Throws: `.failed` where something is there or nothing can be made, `.full` where there is no room.
    package init(into path: String, now: Instant) throws(StorageError) {
        let folder = try NewFolder(path)
        self.folder = folder
        do throws(StorageError) {
            directory = try DataDirectory(folder.draft, for: .serving)
            log = try LMDBEventLog(in: directory, now: now)
        } catch {
            Folder.removeStore(folder.draft)
            throw error
        }
    }

    deinit { abandon() }

    /// The last event that was added; zero before the first.
    package var head: Position { log.head }

    /// Adds the next event.
    ///
    /// - Parameters:
    ///   - json: its whole line, as `EventEncoder` writes it.
    ///   - visit: is handed the record, which is valid until it returns.
    /// - Throws: where it does not follow the one before, or the disk fails.
    package func add(
        _ event: Event, json: UnsafeRawBufferPointer, _ visit: (EventRecord) -> Void = { _ in }
    ) throws(Refusal) {
        var header = event.header
        header.streamNumber = try streamNumber(event)
        do throws(StorageError) {
            try log.append(header, json: json, visit)
            waiting += json.count
            if waiting >= LogImport.piece { try commit() }
        } catch {
            throw .storage(error)
        }
    }

    /// Makes all of it durable, checks it, and gives it its name.
    ///
    /// - Parameter progress: takes the last position that is checked.
    /// - Throws: what failed; nothing is left then.
    package func finish(progress: (Position) -> Void = { _ in }) throws(StorageError) {
        defer { abandon() }
        try commit()
        try log.flush()
        try log.verify(progress: progress)
        close()
        try Folder.sync(folder.draft)
        try folder.publish()
    }

    /// Removes what there is of it, unless it has its name.
    package func abandon() {
        close()
        Folder.removeStore(folder.draft)
    }

    private func close() {
        guard isOpen else { return }
        isOpen = false
        log.close()
        directory.close()
    }

    private func commit() throws(StorageError) {
        while true {
            switch log.makeRoom() {
            case .ready:
                waiting = 0
                return try log.commit()
            case .flushing: try log.flush()
            case .refused(let error): throw error
            }
        }
    }

    // MARK: What follows what

    /// Checks that an event follows those before it; returns its stream's number.
    private func streamNumber(_ event: Event) throws(Refusal) -> StreamNumber {
        guard event.position == head.next else {
            throw misplaced(
                "position", "the position after \(head.value) is \(head.next.value), not \(event.position.value)")
        }
        if let last = log.lastTime, event.time < last {
            throw misplaced("time", "\(event.time.text) is before the time of the event before, \(last.text)")
        }
        let known = streams[event.stream]
        let version = known?.version.next ?? Version(1)
        guard event.version == version else {
            throw misplaced(
                "version", "the next version of \(event.stream) is \(version.value), not \(event.version.value)")
        }
        try checkKey(event.key)
        let number = known?.number ?? StreamNumber(UInt64(streams.count) + 1)
        streams[known == nil ? event.stream.kept : event.stream] = (number, version)
        return number
    }

    /// A key stands for one write, whose events lie one behind the other.
    private func checkKey(_ key: RequestKey?) throws(Refusal) {
        guard key != lastKey else { return }
        lastKey = key?.kept
        guard let lastKey else { return }
        guard keys.insert(lastKey).inserted else {
            throw misplaced("key", "the key \(lastKey) is that of a write before")
        }
    }

    private func misplaced(_ field: String, _ message: String) -> Refusal {
        .misplaced(FieldError(field: field, rule: .outOfRange, message: message))
    }
}
