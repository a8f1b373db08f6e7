import StoryStorage
import StoryCore

/// The state of a log according to its header and its last block.
struct LogState {
    let header: LogHeader
    let head: Position
    let lastTime: Instant?
    let seal: Seal

    /// Reads the state, and adds new blocks to the index.
    ///
    /// - Throws: `.corrupt` if the header or the last block is damaged.
    init(_ transaction: borrowing ReadTransaction, _ map: BlockMap) throws(StorageError) {
        header = try LogHeader(try LogState.headerBytes(transaction))
        guard let (last, bytes) = try map.update(transaction) else {
            (head, lastTime, seal) = (.zero, nil, SealChain.first(of: header.identity.root))
            return
        }
        head = Position(last.last)
        lastTime = Instant(milliseconds: last.lastTime)
        seal = last.seal(bytes)
    }

    /// Returns the header as it is stored.
    ///
    /// - Throws: `.corrupt` if there is no header.
    static func headerBytes(_ transaction: borrowing ReadTransaction) throws(StorageError) -> [UInt8] {
        let found = try PositionKey.with(0) { (key) throws(StorageError) in
            try transaction.value(in: .main, at: key).map { Array($0) }
        }
        guard let found else { throw .corrupt("the log has no header", at: .zero) }
        return found
    }
}
