import StoryCore
import StoryStorage

/// A reader of the blocks of a log for one thread: takes a snapshot of the environment when a reading needs one, and
/// releases it when the reading ends.
final class BlockReader {
    let map: BlockMap
    /// Nil once it is closed.
    private var transaction: ReadTransaction?
    private var readings = 0
    /// True while the transaction has a snapshot.
    private var hasView = false

    /// Makes a reader that has no snapshot yet.
    ///
    /// - Throws: `.failed` if LMDB has no free reader slot.
    init(_ environment: Environment) throws(StorageError) {
        map = BlockMap(pageSize: environment.pageSize)
        var transaction = try ReadTransaction(environment)
        transaction.reset()
        self.transaction = consume transaction
    }

    /// True while a reading is under way; no record may be moved or removed then.
    var isReading: Bool { readings > 0 }

    func close() { transaction = nil }

    /// Runs a reading; readings may be nested. The records it finds are valid until the outermost one ends.
    @inline(__always)
    func reading<Result>(_ body: () throws(StorageError) -> Result) throws(StorageError) -> Result {
        readings += 1
        defer {
            readings -= 1
            if readings == 0, hasView {
                transaction?.reset()
                hasView = false
            }
        }
        return try body()
    }

    /// Returns the records of the block that holds a position; only within a reading.
    ///
    /// - Throws: `.corrupt` if the block is missing or damaged.
    @inline(__always)
    func run(at position: UInt64) throws(StorageError) -> RecordRun {
        let index = map.index(of: position)
        if let run = map.known(index) { return run }
        return try viewing { (view) throws(StorageError) in try map.find(index, in: view) }
    }

    /// Returns the present state of the log, and adds new blocks to the index.
    ///
    /// - Throws: `.corrupt` if the header or the last block is damaged.
    func state() throws(StorageError) -> LogState {
        try reading { () throws(StorageError) in
            try viewing { (view) throws(StorageError) in try LogState(view, map) }
        }
    }

    /// Calls `body` with a snapshot of the environment, which stays the same until the reading ends.
    private func viewing<Result>(
        _ body: (borrowing ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        if !hasView {
            try transaction?.renew()
            hasView = true
        }
        switch transaction {
        case .some(let view): return try body(view)
        case nil: preconditionFailure("read of a closed log")
        }
    }
}

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
