import StoryCore
import StoryModels

/// A fold of a stream's events up to a position into a row, in batches. The past does not change between them.
struct HistoryFold {
    /// The number of events that are looked up at once.
    private static let batchCount = 64
    /// The cost of reading and folding an event, in units.
    private static let eventUnits = 4

    /// The number of remaining events that are folded whatever the budget, since a row that is written all the time has
    /// no fixed end.
    private static let tailCount: UInt64 = 256

    private let streams: StreamIndex
    private let log: any EventLogReading
    private var head: StreamHead
    private var last: Position
    private let history: RowHistory
    private var next = Version(1)
    /// The last event that was folded; zero before the first.
    private(set) var position = Position.zero

    init(
        of head: StreamHead, through last: Position, into row: RowHistory, streams: StreamIndex,
        log: any EventLogReading
    ) {
        self.streams = streams
        self.log = log
        self.head = head
        self.last = last
        history = row
    }

    /// Extends the fold to later events of the stream, up to a later position.
    mutating func goOn(to head: StreamHead, through last: Position) {
        self.head = head
        self.last = last
    }

    /// The row so far; nil if there is none.
    var row: RowCopy? { history.row.map { RowCopy($0) } }

    /// The size of the row, and of the buffer in which the next state is made, in bytes.
    var keptBytes: Int { 2 * (history.row?.bytes.count ?? 0) }

    /// The state of the row after the events that were folded.
    var state: RowState { RowState(number: head.number.value, row: row, position: position, through: last) }

    /// Folds the next events, as far as the budget goes.
    ///
    /// - Returns: true once all are folded.
    /// - Throws: the error of the read.
    mutating func fold(_ budget: inout Budget) throws(StorageError) -> Bool {
        while !budget.isSpent || leftCount <= HistoryFold.tailCount {
            let count = try fold(atMost: budget.units / HistoryFold.eventUnits + 1)
            guard count > 0 else { return true }
            budget.look(at: count * HistoryFold.eventUnits)
        }
        return false
    }

    /// The number of events of the stream that are not folded, including those behind the position.
    private var leftCount: UInt64 { head.version.value - min(next.value - 1, head.version.value) }

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
