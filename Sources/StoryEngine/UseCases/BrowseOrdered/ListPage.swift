import StoryCore
import StoryFold

/// A page of rows, which writes each as soon as it is found.
struct ListPage {
    /// The number of rows that were written.
    private(set) var count = 0
    /// The number of rows that were read to apply filters to them.
    private(set) var looked = 0
    /// The key of the last row that was looked at, written or not: the next page begins after it.
    private(set) var last: [UInt8]?
    /// True if there may be rows behind the last key.
    private(set) var hasMore = false
    /// The batch of rows that were taken and not read yet.
    private var numbers: [UInt64] = []
    private var keys: [[UInt8]] = []
    private var bytesLeft: Int
    private let limit: Int
    private let looks: Int
    private let schema: KindSchema
    private let rows: RowLookup
    private let lines: any AnswerLines

    init(_ schema: KindSchema, limit: Int, _ limits: Limits, rows: RowLookup, into lines: any AnswerLines) {
        self.schema = schema
        self.limit = limit
        bytesLeft = limits.page
        looks = limits.looks
        self.rows = rows
        self.lines = lines
        numbers.reserveCapacity(min(limit, KeyBatch.capacity))
        keys.reserveCapacity(min(limit, KeyBatch.capacity))
    }

    private var isFull: Bool { count >= limit || bytesLeft <= 0 }

    /// Adds a row to the batch, which is read when it is full; a row is written if it passes the remaining filters.
    ///
    /// Call `finish` after the last one.
    ///
    /// - Returns: false when the page has ended.
    /// - Throws: `.corrupt` if a row is damaged; otherwise the error of the read.
    mutating func take(
        _ number: UInt64, _ rest: [Condition], _ key: UnsafeRawBufferPointer
    ) throws(StorageError) -> Bool {
        numbers.append(number)
        keys.append(Array(key))
        let room = rest.isEmpty ? limit - count : looks - looked
        guard numbers.count >= min(KeyBatch.capacity, room + 1) else { return true }
        return try finish(rest)
    }

    /// Reads the rows of the batch; returns false if the page ends before the last of them.
    ///
    /// - Throws: like `take`.
    mutating func finish(_ rest: [Condition]) throws(StorageError) -> Bool {
        defer {
            numbers.removeAll(keepingCapacity: true)
            keys.removeAll(keepingCapacity: true)
        }
        var next = 0
        try rows.rows(schema, numbers: numbers) { index, row in
            for missing in next..<index { look(at: nil, missing, rest) }
            look(at: row, index, rest)
            next = index + 1
        }
        for missing in next..<numbers.count { look(at: nil, missing, rest) }
        return !hasMore
    }

    /// Handles one row of the batch, unless the page has ended or ends before it.
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
