import StoryCore
import StoryFold

/// A fold of a stream's events up to a position into a row, in batches. The past does not change between them.
struct HistoryFold {
    /// The number of events that are looked up at once.
    private static let batchCount = 64

    /// The head of the stream, and the last position that is folded.
    let head: StreamHead
    let last: Position
    /// The row so far.
    let past: any PastRowFold
    let streams: StreamIndex
    let log: any EventLogReading
    private(set) var next = Version(1)
    /// The last event that was folded; zero before the first.
    private(set) var position = Position.zero

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
            past.fold(record)
            return true
        }
        position = newest
        next = Version(next.value + UInt64(positions.count))
        return positions.count
    }
}
