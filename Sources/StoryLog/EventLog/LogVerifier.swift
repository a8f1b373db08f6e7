package import StoryStorage
import CXXHash
package import StoryCore

/// A verifier of a log: checks every record against its checksum, its position, its time and its stream's versions, every
/// block against the chain of seals, each erased record against the event that erased it, and that no stream begins twice
/// and no two writes have one key.
///
/// It may run on any one thread while the log is appended to and read on another. The log must stay open.
package struct LogVerifier: Sendable {
    /// The number of blocks that are read in one transaction.
    private static let batch = 64

    let environment: Environment
    /// The events that are being erased.
    var mask = ErasureMask()
    /// The committed records that are not in blocks.
    var tail: [BlockSection] = []
    /// Blocks that begin after it are left out, so that the verification ends although events are appended.
    var last: Position = .max

    /// Verifies the log.
    ///
    /// - Parameters:
    ///   - position: the position whose seal is wanted; nil: the last one that is verified.
    ///   - progress: receives the last position that is verified; returns false to end the verification.
    /// - Returns: the seal; nil if the verification ended before that position.
    /// - Throws: `.corrupt` with the first position that is damaged.
    @discardableResult
    package func run(
        sealAt position: Position? = nil, progress: (Position) -> Bool
    ) throws(StorageError) -> Seal? {
        var walk = try LogWalk(environment, mask, sealAt: position)
        while walk.position < last, try walk.advance(LogVerifier.batch) {
            guard progress(walk.position) else { return nil }
        }
        try walk.end(with: tail)
        let end = walk.position
        try walk.names.check(LogView(environment, tail, mask: mask), through: end) { !progress(end) }
        _ = progress(end)
        return position == nil ? walk.seal : walk.wantedSeal
    }
}

extension LogVerifier {
    /// Verifies the log in a data directory, whether a process serves it or not.
    ///
    /// If the log cannot be opened because its journal is damaged, its blocks are verified all the same, since they
    /// precede the records of the journal.
    ///
    /// - Parameter progress: receives the last position that is verified, and the last one of the log if that is known.
    /// - Returns: the last position and its seal.
    /// - Throws: `.corrupt` with the first position that is damaged; the error of opening the log.
    package static func check(
        _ directory: DataDirectory, now: Instant, progress: (_ position: Position, _ of: Position?) -> Void
    ) throws(StorageError) -> (head: Position, seal: Seal) {
        let log: LMDBEventLog
        do throws(StorageError) {
            log = try LMDBEventLog(in: directory, now: now)
        } catch {
            guard case .corrupt = error else { throw error }
            let environment = try Environment.openReadOnly(at: directory.logPath, EnvironmentOptions())
            defer { environment.close() }
            try LogVerifier(environment: environment).run { position in
                progress(position, nil)
                return true
            }
            throw error
        }
        defer { log.close() }
        let head = log.head
        let seal = try log.verifier().run { position in
            progress(position, head)
            return true
        }
        guard let seal else { throw .failed("the verification ended early") }
        return (head, seal)
    }
}

/// The state of a verification.
struct LogWalk {
    private(set) var position: Position = .zero
    private let environment: Environment
    private let mask: ErasureMask
    /// The seal of the last record.
    private(set) var seal: Seal
    private let wanted: Position?
    /// The seal at the wanted position; nil before it is reached.
    private(set) var wantedSeal: Seal?
    private var order = EventOrder()
    /// The names of the records so far.
    private(set) var names = DoubledNames()
    private var erasures = NamedErasures()

    init(_ environment: Environment, _ mask: ErasureMask, sealAt position: Position? = nil) throws(StorageError) {
        (self.environment, self.mask) = (environment, mask)
        wanted = position
        let transaction = try ReadTransaction(environment)
        let header = try LogHeader(try LogState.headerBytes(transaction))
        seal = SealChain.first(of: header.identity.root)
    }

    /// Verifies up to `limit` more blocks of the environment; false at its end.
    mutating func advance(_ limit: Int) throws(StorageError) -> Bool {
        let transaction = try ReadTransaction(environment)
        return try transaction.withCursor(in: .main) { (cursor) throws(StorageError) in
            try advance(limit, with: cursor)
        }
    }

    private mutating func advance(_ limit: Int, with cursor: borrowing Cursor) throws(StorageError) -> Bool {
        var entry = try PositionKey.with(position.next.value) { (key) throws(StorageError) in try cursor.seek(key) }
        for _ in 0..<limit {
            guard let found = entry else { return false }
            guard PositionKey.position(found.key) == position.next.value else {
                throw Record.damaged(position.next.value, "is missing")
            }
            try check(block: found.value)
            entry = try cursor.next()
        }
        return true
    }

    /// Verifies the records of `tail` after the last verified block; some may have been flushed meanwhile.
    mutating func end(with tail: [BlockSection]) throws(StorageError) {
        for section in tail where section.run.last > position.value {
            try check(section.run, from: max(section.run.first, position.next.value))
        }
    }

    private mutating func check(block bytes: UnsafeRawBufferPointer) throws(StorageError) {
        let header = try BlockMap.header(bytes, position.next.value)
        guard let run = header.run(bytes) else { return }
        try check(run, from: run.first)
        guard header.seal(bytes) == seal else {
            throw Record.damaged(header.first, "is in a block that does not match its seal")
        }
    }

    private mutating func check(_ run: RecordRun, from first: UInt64) throws(StorageError) {
        guard first == position.next.value else { throw Record.damaged(position.next.value, "is missing") }
        for next in first...run.last {
            try mask.read(try run.record(at: next), at: next) { (record) throws(StorageError) in
                try order.check(record)
                names.add(record)
                try erasures.check(record)
            }
            position = Position(next)
        }
        var sealed = first
        if let wanted, (first..<run.last).contains(wanted.value) {
            seal = try SealChain.seal(of: run, from: first, through: wanted.value, after: seal, mask)
            wantedSeal = seal
            sealed = wanted.value + 1
        }
        seal = try SealChain.seal(of: run, from: sealed, through: run.last, after: seal, mask)
        if wanted == position { wantedSeal = seal }
    }
}

/// A check of the order of events: times do not go back, and each stream counts 1, 2, 3 … under one name.
///
/// It takes 16 bytes a stream; for streams after the first four million only the times are checked. That a name has no
/// second number is checked by `DoubledNames`.
struct EventOrder {
    /// The last version and the name of a stream.
    private struct Stream {
        var version: UInt64
        /// XXH3-64 of its name.
        var name: UInt64
    }

    private static let mostStreams: UInt64 = 1 << 22

    private var lastTime: Instant?
    private var streams: [Stream] = []

    /// Checks the next record.
    ///
    /// - Throws: `.corrupt` if it does not follow the records before it.
    mutating func check(_ record: EventRecord) throws(StorageError) {
        let position = record.position.value
        if let lastTime, record.time < lastTime { throw Record.damaged(position, "is older than the one before") }
        lastTime = record.time
        let number = record.streamNumber.value
        guard number > 0 else { throw Record.damaged(position, "belongs to no stream") }
        guard number <= EventOrder.mostStreams else { return }
        let bytes = UnsafeRawBufferPointer(rebasing: record.json[record.stream])
        let name = xxhi_64(bytes.baseAddress, bytes.count, 0)
        let index = Int(number - 1)
        guard index <= streams.count else { throw Record.damaged(position, "belongs to a stream without a beginning") }
        if index == streams.count { streams.append(Stream(version: 0, name: name)) }
        guard streams[index].name == name else { throw Record.damaged(position, "has another stream's number") }
        guard record.version.value == streams[index].version + 1 else {
            throw Record.damaged(position, "is not the next version of its stream")
        }
        streams[index].version += 1
    }
}
