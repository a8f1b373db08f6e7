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
    }

    private var isFull: Bool { count >= limit || bytesLeft <= 0 }

    /// Looks at a row, and writes it if it passes what is left of the filters; false when the page ends before it.
    ///
    /// - Throws: `.corrupt` when the row is damaged; otherwise what reading failed with.
    mutating func take(
        _ number: UInt64, _ rest: [Condition], _ key: UnsafeRawBufferPointer
    ) throws(StorageError) -> Bool {
        if !rest.isEmpty {
            guard looked < looks else { return endBefore() }
            looked += 1
        } else if isFull {
            return endBefore()
        }
        var isWhole = true
        try models.row(schema, number: number) { row in
            guard rest.match(row) else { return }
            isWhole = !isFull
            if isWhole { write(row) }
        }
        guard isWhole else { return endBefore() }
        last = Array(key)
        return true
    }

    /// Writes a row that passed every filter; false when the page ends before it.
    ///
    /// - Throws: as `take`.
    mutating func write(_ number: UInt64, at key: [UInt8]) throws(StorageError) -> Bool {
        try key.withBytes { (key) throws(StorageError) in try take(number, [], key) }
    }

    private mutating func write(_ row: RowView) {
        lines.row(row)
        count += 1
        bytesLeft -= row.bytes.count
    }

    private mutating func endBefore() -> Bool {
        hasMore = true
        return false
    }
}
