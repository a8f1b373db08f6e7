import CLMDB
package import StoryCore

/// The log in an LMDB environment of its own: one record a position in the unnamed database.
///
/// It belongs to the thread that appends to it.
package final class LMDBEventLog: EventLog {
    package private(set) var head: Position
    package private(set) var committed: Position
    package private(set) var lastTime: Instant?
    package var storeID: [UInt8] { header.storeID }
    package var bytes: Int { environment.usedBytes }

    let environment: Environment
    let header: LogHeader
    let staged = StagedRecord()
    /// Nil where another process may be writing.
    let places: RecordPlaces?
    private let access: DataDirectory.Access
    private var committedTime: Instant?
    private var lastSeal: Seal
    private let hasher: SealHasher
    private var zeroFill: ZeroFill
    private var writer: WriteTransaction?
    private var reader: ReadTransaction?
    private var readings = 0

    /// Opens the log of a data directory; where there is none, one that serves makes it.
    ///
    /// - Parameters:
    ///   - now: when the log was made, if it is made.
    ///   - zeroFillStep: how many bytes are zeroed ahead at once; 0: none.
    package init(
        in directory: DataDirectory, now: Instant, _ options: EnvironmentOptions = EnvironmentOptions(),
        zeroFillStep: Int = 1 << 20
    ) throws(StorageError) {
        if directory.access == .serving { try LMDBEventLog.createIfMissing(directory, now) }
        access = directory.access
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
        lastTime = state.lastTime
        committedTime = state.lastTime
        lastSeal = state.lastSeal
        zeroFill = ZeroFill(environment, step: access == .reading ? 0 : zeroFillStep)
    }

    deinit { close() }

    package func append(_ event: Event, json: UnsafeRawBufferPointer) throws(StorageError) {
        precondition(access != .reading, "A log opened for reading is not appended to.")
        precondition(event.position == head.next, "An event's position is the one after the head.")
        precondition(readings == 0, "Nothing is appended while the log is being read.")
        if staged.position != nil { try put(isLast: false) }
        staged.hold(event, json)
        head = event.position
        lastTime = event.time
    }

    package func commit() throws(StorageError) {
        guard let seal = try put(isLast: true), let transaction = writer.take() else { return }
        try transaction.commit()
        lastSeal = seal
        committed = head
        committedTime = lastTime
        zeroFill.ahead(of: environment)
    }

    package func abandon() {
        writer = nil
        staged.release()
        head = committed
        lastTime = committedTime
    }

    /// Finds what another process has appended meanwhile; for a log opened for reading.
    package func refresh() throws(StorageError) {
        precondition(access == .reading, "Only a log opened for reading is behind.")
        let state = try reading { (transaction) throws(StorageError) in try LogState(transaction, hasher) }
        (head, committed, lastTime) = (state.head, state.head, state.lastTime)
    }

    package func close() {
        abandon()
        reader = nil
        environment.close()
    }

    /// Begins, if need be, and puts the staged record; answers the seal where it ends the commit.
    @discardableResult
    private func put(isLast: Bool) throws(StorageError) -> Seal? {
        guard let position = staged.position else { return nil }
        if writer == nil {
            writer = try WriteTransaction(environment)
            hasher.begin(after: lastSeal)
        }
        isLast ? staged.closeSealed() : staged.close()
        hasher.add(staged.bytes)
        let seal = isLast ? hasher.finish() : nil
        if let seal { staged.append(seal) }
        try PositionKey.with(position.value) { (key) throws(StorageError) in
            try writer?.append(staged.bytes, in: .main, at: key)
        }
        staged.release()
        return seal
    }

    /// True while this turn has put events.
    var isWriting: Bool { writer != nil }

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
        guard !Folder.exists(directory.modelsPath) else {
            throw .corrupt("\(directory.path) holds models, but its log is gone", at: nil)
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
