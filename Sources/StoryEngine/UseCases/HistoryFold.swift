import StoryCore
import StoryFold

/// A fold of a stream's events up to a position into a row, in batches. The past does not change between them.
struct HistoryFold {
    /// The number of events that are looked up at once.
    private static let batchCount = 64

    private let streams: StreamIndex
    private let log: any EventLogReading
    private let head: StreamHead
    private let last: Position
    private let history: any PastRowFold
    private var next = Version(1)
    /// The last event that was folded; zero before the first.
    private(set) var position = Position.zero
    init(
        of head: StreamHead, through last: Position, into row: any PastRowFold, streams: StreamIndex,
        log: any EventLogReading
    ) {
        self.streams = streams
        self.log = log
        self.head = head
        self.last = last
        history = row
    }

    /// The row so far; nil if there is none.
    var row: RowCopy? { history.row }

    /// The memory of the fold, in bytes.
    var keptBytes: Int { history.keptBytes }

    /// Folds the next events, as far as the budget of the lines goes.
    ///
    /// - Returns: true once all are folded.
    /// - Throws: the error of the read.
    mutating func fold(charging lines: any AnswerLines) throws(StorageError) -> Bool {
        while !lines.isSpent {
            let count = try fold(atMost: lines.left.count(of: .fold) + 1)
            guard count > 0 else { return true }
            lines.spend(count * .fold)
        }
        return false
    }

    /// Folds up to the given number of events.
    ///
    /// - Returns: the number of folded events; 0 when all are folded.
    private mutating func fold(atMost limit: Int) throws(StorageError) -> Int {
        let count = min(limit, HistoryFold.batchCount)
        let last = last
        var positions: [Position] = []
        try streams.scanVersions(of: head, from: next, through: head.version, .ascending) {
            guard $1 <= last else { return false }
            positions.append($1)
            return positions.count < count
        }
        guard let newest = positions.last else { return 0 }
        try log.records(at: positions) { record in
            history.fold(record)
            return true
        }
        position = newest
        next = Version(next.value + UInt64(positions.count))
        return positions.count
    }
}
