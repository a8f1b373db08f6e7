import StoryCore
import StoryModels

/// The rows of one page as they are found, written at once.
struct ListPage<P: Projection> {
    /// How many rows were written.
    private(set) var count = 0
    /// How many rows were looked at to try filters on them.
    private(set) var looked = 0
    /// The place of the last row that was looked at, written or not: nothing before it comes again.
    private(set) var last: [UInt8]?
    /// True when there may be rows behind the last place.
    private(set) var hasMore = false
    private var bytesLeft: Int
    private let limit: Int
    private let looks: Int
    private let store: any ModelStore
    private let lines: any AnswerLines

    init(limit: Int, in world: World, into lines: any AnswerLines) {
        self.limit = limit
        bytesLeft = world.limits.page
        looks = world.limits.looks
        store = world.store
        self.lines = lines
    }

    private var isFull: Bool { count >= limit || bytesLeft <= 0 }

    /// Looks at a row, and writes it if it passes what is left of the filters; false when the page ends before it.
    mutating func take(_ number: StreamNumber, _ rest: [Filter], _ place: some Collection<UInt8>) -> Bool {
        guard !rest.isEmpty else { return write(number, at: Array(place)) }
        guard looked < looks else { return endBefore() }
        looked += 1
        var isWhole = true
        Rows.lend(P.kind, number, in: store) { record in
            guard P.passes(record, rest) else { return }
            isWhole = !isFull
            if isWhole, lines.row(P.kind, number, record) { wrote(record.count) }
        }
        guard isWhole else { return endBefore() }
        last = Array(place)
        return true
    }

    /// Writes a row that passed every filter; false when the page ends before it.
    mutating func write(_ number: StreamNumber, at place: [UInt8]) -> Bool {
        guard !isFull else { return endBefore() }
        Rows.lend(P.kind, number, in: store) { record in
            if lines.row(P.kind, number, record) { wrote(record.count) }
        }
        last = place
        return true
    }

    private mutating func wrote(_ bytes: Int) {
        count += 1
        bytesLeft -= bytes
    }

    private mutating func endBefore() -> Bool {
        hasMore = true
        return false
    }
}
