package import StoryCore
import StoryStorage

/// Checks every record of a log against its checksum, its place, its time and the chain of seals.
///
/// It may run on any one thread while the log is appended to and read on another. The log must stay open.
package final class LogVerifier: Sendable {
    /// How many events are read in one transaction.
    private static let batch = 10_000

    private let environment: Environment
    private let tail: JournalTail?

    /// - Parameter tail: what the journal holds beyond the environment.
    init(_ environment: Environment, _ tail: JournalTail?) {
        self.environment = environment
        self.tail = tail
    }

    /// Throws `.corrupt`, naming the first position that is not as it was written.
    ///
    /// - Parameter progress: is told how far it has come; answers false to end it.
    package func run(progress: (Position) -> Bool) throws(StorageError) {
        var walk = try LogWalk(environment)
        while try walk.advance(LogVerifier.batch) {
            guard progress(walk.position) else { return }
        }
        try walk.end(with: tail)
        _ = progress(walk.position)
    }
}

/// How far a verification has come.
private struct LogWalk {
    private(set) var position: Position = .zero
    private let environment: Environment
    private let hasher: SealHasher
    private var lastTime: Instant?
    private var isSealed = true

    init(_ environment: Environment) throws(StorageError) {
        self.environment = environment
        hasher = try SealHasher()
        let transaction = try ReadTransaction(environment)
        let header = try LogState.headerBytes(transaction.handle)
        _ = try LogHeader(header)
        hasher.begin(after: LogState.firstSeal(header, hasher))
    }

    /// Checks some more events of the environment; false at its end.
    mutating func advance(_ limit: Int) throws(StorageError) -> Bool {
        let transaction = try ReadTransaction(environment)
        let cursor = try Cursor(transaction.handle, .main)
        var entry = try PositionKey.with(position.next.value) { (key) throws(StorageError) in try cursor.seek(key) }
        for _ in 0..<limit {
            guard let found = entry else { return false }
            try check(try LMDBEventLog.expect(position.next.value, found))
            entry = try cursor.next()
        }
        return true
    }

    /// Checks what the environment does not hold; it may have taken some over meanwhile.
    mutating func end(with tail: JournalTail?) throws(StorageError) {
        while let tail, tail.holds(position.next.value) {
            try check(tail.record(at: position.next.value))
        }
        guard isSealed else { throw Record.damaged(position.value, "is the last and has no seal") }
    }

    private mutating func check(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        let expected = position.next.value
        let record = try Record.read(bytes, at: expected)
        if let lastTime, record.time < lastTime { throw Record.damaged(expected, "is older than the one before") }
        let count = Record.unsealedCount(bytes) ?? bytes.count
        hasher.add(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        if let stored = Record.seal(bytes) {
            let computed = hasher.finish()
            guard stored == computed else { throw Record.damaged(expected, "does not match the seal of its commit") }
            hasher.begin(after: computed)
        }
        isSealed = count < bytes.count
        lastTime = record.time
        position = record.position
    }
}
