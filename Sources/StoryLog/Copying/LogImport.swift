import StoryStorage
package import StoryCore

/// An import of events that have their positions, versions and times already into a new data directory, completely or
/// not at all.
///
/// The directory is built under another name beside its path, and gets its name once it is complete, durable and
/// verified. It is a history of its own, with a new ID and no parent, since lines do not name the log that they come
/// from.
package final class LogImport {
    /// The reason why an event cannot be added.
    package enum Refusal: Error {
        /// The event does not follow the events before it.
        case misplaced(FieldError)
        case storage(StorageError)
    }

    /// The approximate size of a commit, in bytes of events.
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

    /// Begins a directory beside `path`, which must not exist or be an empty directory.
    ///
    /// - Parameter now: the creation time of the log.
    /// - Throws: `.failed` if `path` is in use or nothing can be made, `.full` if there is no room.
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

    /// The position of the last event that was added; zero before the first.
    package var head: Position { log.head }

    /// Appends the next event.
    ///
    /// - Parameters:
    ///   - json: its whole line, as `EventEncoder` writes it.
    ///   - visit: receives the record, which is valid until it returns.
    /// - Throws: `.misplaced` if the event does not follow the events before it, `.storage` if the disk fails.
    package func add(
        _ event: Event, json: UnsafeRawBufferPointer, _ visit: (EventRecord) -> Void = { _ in }
    ) throws(Refusal) {
        guard json.count <= EventHeader.mostJSON else {
            throw .misplaced(
                FieldError(
                    field: "data", rule: .tooLong, message: "an event has at most \(EventHeader.mostJSON) bytes of JSON"
                ))
        }
        var header = event.header(jsonCount: json.count)
        header.streamNumber = try streamNumber(event)
        do throws(StorageError) {
            try log.append(header, json: json, erasedBy: event.erased, withRecord: visit)
            waiting += json.count
            if waiting >= LogImport.piece { try commit() }
        } catch {
            throw .storage(error)
        }
    }

    /// Commits, flushes and verifies all events, and gives the directory its name.
    ///
    /// - Parameter progress: receives the last position that is verified.
    /// - Throws: the error that ended the import; nothing is left then.
    package func finish(progress: (Position) -> Void = { _ in }) throws(StorageError) {
        defer { abandon() }
        try commit()
        try log.flush()
        try log.verify(progress: progress)
        close()
        try Folder.sync(folder.draft)
        try folder.publish()
    }

    /// Closes the log and removes the directory, unless it already has its name.
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
            switch log.ensureSpace(through: log.head) {
            case .ready:
                waiting = 0
                return try log.commit()
            case .flushing: try log.flush()
            case .refused(let error): throw error
            }
        }
    }

    // MARK: Order of events

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

    /// Checks that the events of a key, which identifies one write, are consecutive.
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
