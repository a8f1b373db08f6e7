import StoryCore
import StoryFold

/// `LIST`: a page of rows, filtered and sorted, found along indexes.
enum BrowseOrdered {
    /// Returns the cursor of a page.
    ///
    /// - Throws: `invalid` if `after=` is no `next` of this list.
    static func page(
        _ query: ListQuery, of schema: KindSchema, in world: World, _ limits: Limits
    ) throws(Failure) -> any AnswerCursor {
        var key: [UInt8]?
        if let after = query.after {
            guard !ListCursor.isOfOtherDefinition(after, schema) else {
                let message = "\(schema.name) have another definition now; list them from the start"
                throw Failure(.conflict, message)
            }
            key = ListCursor(after, for: query, of: schema)?.key
            guard key != nil else {
                let message = "is no next of this list: send the same filters, sort and order that it came with"
                throw .invalid("after", .malformed, message)
            }
        }
        return OrderedRows(query, of: schema, after: key, in: world, limits)
    }

    /// `SORTS`: returns the sorts of a kind, the default first.
    static func sorts(_ kind: KindSchema) -> [Reply] {
        let sorts = kind.sorts.map { Reply.sort($0, .descending) }
        return sorts + [.done(.members([Member("count", .count(UInt64(kind.sorts.count)))]))]
    }
}

/// A page that waits for its share of a turn. It shows one moment, so one step makes all of it, and ends it early with
/// a `next` if too many rows were looked at.
private final class OrderedRows: AnswerCursor {
    let readsRows = true
    private let query: ListQuery
    private let after: [UInt8]?
    private let world: World
    private let limits: Limits
    private let schema: KindSchema
    private let plan: QueryPlan

    init(_ query: ListQuery, of schema: KindSchema, after: [UInt8]?, in world: World, _ limits: Limits) {
        self.query = query
        self.after = after
        self.world = world
        self.limits = limits
        self.schema = schema
        plan = QueryPlan(schema, query.conditions)
    }

    /// The index of the sort in the schema.
    private var sort: Int { query.sort }

    func step(into lines: any AnswerLines) throws(StorageError) -> CursorStep {
        guard !lines.isSpent else { return .more }
        let head = world.head
        guard world.serves(schema) else { return .ended(.failed(.removedKind), restsOn: head) }
        var page = ListPage(schema, limit: query.limit, limits, rows: world.rows(of: schema), into: lines)
        if let rows = try few(charging: lines) {
            try fill(&page, rows)
        } else {
            try fill(&page)
        }
        lines.spend(page.looked * .row + page.count * .record)
        let next = page.hasMore ? page.last.map { ListCursor(key: $0).text(for: query, of: schema) } : nil
        return .ended(.done(.page(count: page.count, next: next, position: head)), restsOn: head)
    }

    /// True if rows may lack the sort field: those come last, in either order.
    private var isOptional: Bool { schema.sorts[sort].order.field.map { schema.fields[$0].isOptional } ?? false }

    private func fill(_ page: inout ListPage) throws(StorageError) {
        guard let range = plan.ordered(by: sort) else { return }
        let head = Array(range.prefix[..<range.prefixCount])
        let start = after.map { head + $0 }
        for segment in segments(head, range) {
            // The start key is behind this segment, so it is done.
            if let start, let end = segment.end, !start.precedes(end) { continue }
            let walk = IndexWalk(
                store: world.rows(of: schema).store, table: range.table, lower: segment.lower, upper: segment.upper)
            try walk.keys(segment.order, after: start) { (entry) throws(StorageError) in
                guard let number = entry.lastNumber else { return true }
                let key = entry.slice(range.prefixCount, count: entry.count - range.prefixCount)
                return try page.take(number, range.rest, key)
            }
            if page.hasMore { return }
        }
        _ = try page.finish(range.rest)
    }

    /// A part of an index, its direction, and the first key behind it if another part follows.
    private typealias Segment = (lower: [UInt8], upper: [UInt8]?, order: Order, end: [UInt8]?)

    /// Returns the parts in order: rows without an optional key come last, in the order they were posted.
    private func segments(_ head: [UInt8], _ range: IndexRange) -> [Segment] {
        guard isOptional else { return [(range.lower, range.upper, query.order, nil)] }
        let absent = head + [1]
        let isBefore = range.lower.precedes(absent)
        var segments: [Segment] = []
        let hasAbsent = range.upper.map { absent.precedes($0) } ?? true
        if isBefore {
            segments.append((range.lower, hasAbsent ? absent : range.upper, query.order, hasAbsent ? absent : nil))
        }
        if hasAbsent { segments.append((isBefore ? absent : range.lower, range.upper, .ascending, nil)) }
        return segments
    }

    /// A row's number and its key in the order of the list.
    private typealias KeyedRow = (key: [UInt8], number: UInt64)

    /// Returns every row that passes the filters, in order, if they are few and no index has them in order; nil
    /// otherwise.
    private func few(charging lines: any AnswerLines) throws(StorageError) -> [KeyedRow]? {
        var keyed: [KeyedRow] = []
        let kind = world.plan[schema.kind]
        func take(_ row: RowView, _ rest: [Condition]) {
            if rest.match(row) { keyed.append((kind.listKey(of: row, by: sort), row.number)) }
        }
        if let unique = plan.unique {
            try world.rows(of: schema).row(schema, folded: unique.text) { take($0, unique.rest) }
        } else {
            guard let ordered = plan.ordered(by: sort), !ordered.rest.isEmpty, !ordered.isHashed else { return nil }
            if try isKnownEmpty() { return [] }
            let range = try world.rows(of: schema).narrowest(plan, schema)
            guard !range.prefix.isEmpty || range.isBounded, let numbers = try numbers(range)
            else { return nil }
            lines.spend(numbers.count * .row)
            for start in stride(from: 0, to: numbers.count, by: KeyBatch.capacity) {
                let group = Array(numbers[start..<min(start + KeyBatch.capacity, numbers.count)])
                try world.rows(of: schema).rows(schema, numbers: group) { take($1, range.rest) }
            }
        }
        let comes = ListOrder(isDescending: query.order == .descending, isOptional: isOptional)
        keyed.sort { comes.before($0.key, $1.key) }
        return keyed
    }

    /// Returns whether a stored tally says that no row passes.
    private func isKnownEmpty() throws(StorageError) -> Bool {
        guard case .tally(let key, nil) = plan.count else { return false }
        return try world.rows(of: schema).tally(schema, at: key) == 0
    }

    /// Returns the row numbers of a part of an index, if one page may look at them all; nil otherwise.
    private func numbers(_ range: IndexRange) throws(StorageError) -> [UInt64]? {
        var numbers: [UInt64] = []
        let limit = limits.looks
        let walk = IndexWalk(range, of: schema, in: world)
        try walk.keys(.ascending, after: nil) { key in
            if let number = key.lastNumber { numbers.append(number) }
            return numbers.count <= limit
        }
        return numbers.count <= limit ? numbers : nil
    }

    private func fill(_ page: inout ListPage, _ rows: [KeyedRow]) throws(StorageError) {
        let comes = ListOrder(isDescending: query.order == .descending, isOptional: isOptional)
        for row in rows {
            if let after, !comes.before(after, row.key) { continue }
            let isTaken = try row.key.withBytes { (key) throws(StorageError) in try page.take(row.number, [], key) }
            guard isTaken else { return }
        }
        _ = try page.finish([])
    }
}

/// The order of a list, for keys that were not read from an index in order.
private struct ListOrder {
    let isDescending: Bool
    let isOptional: Bool

    /// Returns whether one key comes before another; a key is a sort key followed by the row's number.
    func before(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        // An optional key begins with 0 if it is present and with 1 if absent: absent ones come last, in the order
        // posted.
        let isAbsent = isOptional && left.first == 1
        if isOptional, left.first != right.first { return !isAbsent }
        return isDescending && !isAbsent
            ? right.precedes(left) : left.precedes(right)
    }
}
