import StoryStorage
import StoryCore

/// The blocks of a log as one thread reads them: it takes a view of the environment when a reading needs one, and gives
/// it back when the reading ends.
final class BlockReader {
    let map: BlockMap
    /// Nil once it is closed.
    private var transaction: ReadTransaction?
    @exclusivity(unchecked) private var readings = 0
    /// True while the transaction has a view.
    @exclusivity(unchecked) private var hasView = false

    /// - Throws: `.failed` where LMDB has no room for a reader.
    init(_ environment: Environment) throws(StorageError) {
        map = BlockMap(pageSize: environment.pageSize)
        let transaction = try ReadTransaction(environment)
        transaction.reset()
        self.transaction = consume transaction
    }

    /// True while a reading is under way: then nothing may move.
    var isReading: Bool { readings > 0 }

    func close() { transaction = nil }

    /// Runs a reading; readings may be nested. What it finds lives until the outermost one ends.
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

    /// The records around a position that is in a block; only within a reading.
    ///
    /// - Throws: `.corrupt` where the block is not as it was written.
    @inline(__always)
    func run(at position: UInt64) throws(StorageError) -> RecordRun {
        let index = map.index(of: position)
        if let run = map.known(index) { return run }
        return try map.find(index, in: try view())
    }

    /// The same where the block was found before; nil where that is not known.
    @inline(__always)
    func knownRun(at position: UInt64) -> RecordRun? { map.known(map.index(of: position)) }

    /// What the header and the last block say now; blocks that are new are taken up.
    ///
    /// - Throws: `.corrupt` where they are not as they were written.
    func state(_ hasher: SealHasher) throws(StorageError) -> LogState {
        try reading { () throws(StorageError) in try LogState(try view(), map, hasher) }
    }

    /// The environment's newest state, which stays the same for as long as this reading.
    private func view() throws(StorageError) -> OpaquePointer {
        guard let handle = transaction?.handle else {
            preconditionFailure("A log is not read after it was closed.")
        }
        if !hasView { try transaction?.renew() }
        hasView = true
        return handle
    }
}
