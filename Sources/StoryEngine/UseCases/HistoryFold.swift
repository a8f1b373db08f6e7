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
    /// The event that erased that one; nil where none did.
    private(set) var erased: Position?

    /// Folds the next events, as far as the budget of the lines goes.
    ///
    /// - Returns: true once all are folded.
    /// - Throws: the error of the read.
    mutating func fold(charging lines: any AnswerLines) throws(StorageError) -> Bool {
        while !lines.isSpent {
            var left = lines.workLeft
            let isOver = try fold(&left)
            lines.spend(lines.workLeft - left)
            if isOver { return true }
        }
        return false
    }

    /// Folds a batch of events, as long as work is left.
    ///
    /// - Returns: true when all are folded.
    private mutating func fold(_ left: inout Work) throws(StorageError) -> Bool {
        let last = last
        var positions: [Position] = []
        try streams.scanVersions(of: head, from: next, through: head.version, .ascending) {
            guard $1 <= last else { return false }
            positions.append($1)
            return positions.count < HistoryFold.batchCount
        }
        guard !positions.isEmpty else { return true }
        try log.records(at: positions) { record in
            guard past.fold(record, &left) else { return false }
            (position, next, erased) = (record.position, next.next, record.erased)
            return left > .zero
        }
        return false
    }
}
