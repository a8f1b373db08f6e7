import StoryCore
import StoryStorage

/// What a log's first and last record say when it is opened.
struct LogState {
    let header: LogHeader
    let head: Position
    let lastTime: Instant?
    let lastSeal: Seal

    init(_ transaction: OpaquePointer, _ hasher: SealHasher) throws(StorageError) {
        let headerBytes = try LogState.headerBytes(transaction)
        header = try LogHeader(headerBytes)
        let cursor = try Cursor(transaction, .main)
        guard let last = try cursor.last(), let position = PositionKey.position(last.key) else {
            throw .corrupt("the log holds a key that is no position", at: nil)
        }
        guard position > 0 else {
            (head, lastTime, lastSeal) = (.zero, nil, LogState.firstSeal(headerBytes, hasher))
            return
        }
        let record = try Record.read(last.value, at: position)
        guard let seal = Record.seal(last.value) else { throw Record.damaged(position, "is the last and has no seal") }
        (head, lastTime, lastSeal) = (Position(position), record.time, seal)
    }

    /// The seal that the first commit follows.
    static func firstSeal(_ header: [UInt8], _ hasher: SealHasher) -> Seal {
        hasher.begin()
        header.withUnsafeBytes(hasher.add)
        return hasher.finish()
    }

    static func headerBytes(_ transaction: OpaquePointer) throws(StorageError) -> [UInt8] {
        let found = try PositionKey.with(0) { (key) throws(StorageError) in
            try Lookup.value(transaction, .main, key).map { Array($0) }
        }
        guard let found else { throw .corrupt("the log has no header", at: .zero) }
        return found
    }
}
