import StoryCore
import StoryModels

/// The rows of one page as they are found, written at once.
struct ListPage {
    /// How many rows were written.
    private(set) var count = 0
    /// How many rows were looked at to try filters on them.
    private(set) var looked = 0
    /// The key of the last row that was looked at, written or not: nothing before it comes again.
    private(set) var last: [UInt8]?
    /// True when there may be rows behind the last key.
    private(set) var hasMore = false
    /// The rows that were taken and not looked at yet.
    private var numbers: [UInt64] = []
    private var keys: [[UInt8]] = []
    private var bytesLeft: Int
    private let limit: Int
    private let looks: Int
    private let schema: KindSchema
    private let models: ReadModels
    private let lines: any AnswerLines

    init(_ schema: KindSchema, limit: Int, in world: World, into lines: any AnswerLines) {
        self.schema = schema
        self.limit = limit
        bytesLeft = world.limits.page
        looks = world.limits.looks
        models = world.models
        self.lines = lines
        numbers.reserveCapacity(min(limit, KeyBatch.capacity))
        keys.reserveCapacity(min(limit, KeyBatch.capacity))
    }

    private var isFull: Bool { count >= limit || bytesLeft <= 0 }

    /// Looks at a row, soon and with others, and writes it if it passes what is left of the filters; false when the page
    /// has ended. `finish` looks at the last ones.
    ///
    /// - Throws: `.corrupt` when a row is damaged; otherwise what reading failed with.
    mutating func take(
        _ number: UInt64, _ rest: [Condition], _ key: UnsafeRawBufferPointer
    ) throws(StorageError) -> Bool {
        numbers.append(number)
        keys.append(Array(key))
        let room = rest.isEmpty ? limit - count : looks - looked
        guard numbers.count >= min(KeyBatch.capacity, room + 1) else { return true }
        return try finish(rest)
    }

    /// Looks at the rows that were taken and not looked at yet; false when the page ends before the last of them.
    ///
    /// - Throws: as `take`.
    mutating func finish(_ rest: [Condition]) throws(StorageError) -> Bool {
        defer {
            numbers.removeAll(keepingCapacity: true)
            keys.removeAll(keepingCapacity: true)
        }
        var next = 0
        try models.rows(schema, numbers: numbers) { index, row in
            for missing in next..<index { look(at: nil, missing, rest) }
            look(at: row, index, rest)
            next = index + 1
        }
        for missing in next..<numbers.count { look(at: nil, missing, rest) }
        return !hasMore
    }

    /// Writes a row that passed every filter; false when the page has ended.
    ///
    /// - Throws: as `take`.
    mutating func write(_ number: UInt64, at key: [UInt8]) throws(StorageError) -> Bool {
        try key.withBytes { (key) throws(StorageError) in try take(number, [], key) }
    }

    /// Looks at one of the rows that were taken, unless the page has ended or ends before it.
    private mutating func look(at row: RowView?, _ index: Int, _ rest: [Condition]) {
        guard !hasMore else { return }
        hasMore = rest.isEmpty ? isFull : looked >= looks
        guard !hasMore else { return }
        if !rest.isEmpty { looked += 1 }
        if let row, rest.match(row) {
            hasMore = isFull
            guard !hasMore else { return }
            write(row)
        }
        last = keys[index]
    }

    private mutating func write(_ row: RowView) {
        lines.row(row)
        count += 1
        bytesLeft -= row.bytes.count
    }
}
