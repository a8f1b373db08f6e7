import StoryCore
import StoryModels

/// Folds a stream's events up to a position into a row, some at a time. The past does not change between them.
struct HistoryFold {
    /// So many events are looked up at once.
    private static let batchCount = 64
    /// What reading and folding an event costs, in units.
    private static let eventUnits = 4

    /// So many that are left are folded whatever the budget: the end of a row that is written all the time moves on.
    private static let tailCount: UInt64 = 256

    private let streams: StreamIndex
    private let log: any EventLogReading
    private var head: StreamHead
    private var last: Position
    private let history: RowHistory
    private var next = Version(1)
    /// The last event that was folded; zero where none was.
    private(set) var position = Position.zero

    init(
        of head: StreamHead, _ schema: KindSchema, through last: Position, in models: ReadModels,
        _ log: any EventLogReading
    ) {
        streams = models.streams
        self.log = log
        self.head = head
        self.last = last
        history = RowHistory(models.plan, kind: schema.number, json: models.json)
    }

    /// Folds the stream's later events as well, up to a later position.
    mutating func goOn(to head: StreamHead, through last: Position) {
        self.head = head
        self.last = last
    }

    /// The row so far; nil where there is none.
    var row: RowCopy? { history.row.map { RowCopy($0) } }

    /// How many bytes the row takes, and the memory in which the next one is made of it.
    var keptBytes: Int { 2 * (history.row?.bytes.count ?? 0) }

    /// What the events made of the row so far.
    var state: RowState { RowState(number: head.number.value, row: row, position: position, through: last) }

    /// Folds the next events, as far as the budget goes.
    ///
    /// - Returns: true once all are folded.
    /// - Throws: what reading failed with.
    mutating func fold(_ budget: inout Budget) throws(StorageError) -> Bool {
        while !budget.isSpent || leftCount <= HistoryFold.tailCount {
            let count = try fold(atMost: budget.units / HistoryFold.eventUnits + 1)
            guard count > 0 else { return true }
            budget.look(at: count * HistoryFold.eventUnits)
        }
        return false
    }

    /// How many events of the stream are not folded, those behind the position among them.
    private var leftCount: UInt64 { head.version.value - min(next.value - 1, head.version.value) }

    /// Folds the next events, no more than the limit.
    ///
    /// - Returns: how many; 0 when all are folded.
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
