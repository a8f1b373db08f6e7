import StoryStorage
import StoryCore

/// What a log's header and its last block say when it is opened.
struct LogState {
    let header: LogHeader
    let head: Position
    let lastTime: Instant?
    let seal: Seal

    /// Fills the map of blocks as well.
    ///
    /// - Throws: `.corrupt` where the header or the last block is not as it was written.
    init(_ transaction: OpaquePointer, _ map: BlockMap, _ hasher: SealHasher) throws(StorageError) {
        header = try LogHeader(try LogState.headerBytes(transaction))
        guard let last = try map.update(transaction) else {
            (head, lastTime, seal) = (.zero, nil, hasher.first(of: header.identity.root))
            return
        }
        let value = try PositionKey.with(last.first) { (key) throws(StorageError) in
            try Lookup.value(transaction, .main, key)
        }
        guard let value else { throw Record.damaged(last.first, "is missing") }
        head = Position(last.last)
        lastTime = Instant(milliseconds: last.lastTime)
        seal = last.seal(value)
    }

    /// - Throws: `.corrupt` where there is no header.
    static func headerBytes(_ transaction: OpaquePointer) throws(StorageError) -> [UInt8] {
        let found = try PositionKey.with(0) { (key) throws(StorageError) in
            try Lookup.value(transaction, .main, key).map { Array($0) }
        }
        guard let found else { throw .corrupt("the log has no header", at: .zero) }
        return found
    }
}
