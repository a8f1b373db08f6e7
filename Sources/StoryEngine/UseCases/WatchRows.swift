package import StoryCore
package import StoryFold

/// A reader of durable rows, for subscriptions: from the feed where the models are ahead, otherwise from the models.
package struct RowWatcher {
    /// The row changes, of durable events and of those that are not durable yet.
    package let feed: ChangeFeed
    private let world: World

    init(_ world: World, _ feed: ChangeFeed) {
        self.world = world
        self.feed = feed
    }

    /// Creates a reader with read models of its own.
    ///
    /// - Parameter json: the reader of the data of events that are folded.
    package init(
        _ plan: CataloguePlan, store: any TableStore, json: any JSONReading, log: any EventLogReading,
        feed: ChangeFeed
    ) {
        world = World(plan, store: store, json: json, log: log)
        self.feed = feed
    }

    /// Returns the durable state of a row; nil where there is none.
    ///
    /// - Throws: the error of the read.
    package func row(_ kind: Kind, _ key: RowKey, charging lines: any AnswerLines) throws(StorageError) -> RowCopy? {
        lines.spend(.row + pendingCost)
        let schema = world.schema(kind)
        let pending = key.spelling.withUnsafeBytes { key in feed.withRow(schema, key) { $0.map { RowCopy($0) } } }
        if let pending { return pending }
        var row: RowCopy?
        _ = try world.rows(of: schema).row(schema, key) { row = RowCopy($0) }
        return row
    }

    /// Returns a row's key in the index of a list; empty if the list has one row at most.
    package func key(of row: borrowing RowView, _ conditions: [Condition]) -> [UInt8] {
        let plan = QueryPlan(row.schema, conditions)
        guard plan.unique == nil, let range = plan.ordered(by: ListQuery.defaultSort) else { return [] }
        return world.plan[row.schema.kind].key(of: row, in: range) ?? []
    }

    /// Visits the durable rows of a list in the order of its index, until `visit` returns false or the budget of the
    /// lines is spent.
    ///
    /// - Parameters:
    ///   - after: the key of the last row that was visited before.
    ///   - visit: called with a row, nil if the row of this key is not in the list, and its key.
    /// - Returns: true when there are no more rows.
    /// - Throws: the error of the read.
    package func list(
        _ kind: Kind, _ conditions: [Condition], after: [UInt8]?, charging lines: any AnswerLines,
        _ visit: (RowCopy?, _ key: [UInt8]) -> Bool
    ) throws(StorageError) -> Bool {
        let schema = world.schema(kind)
        let plan = QueryPlan(schema, conditions)
        // Charged at the end, so that a step makes progress whatever is pending.
        defer { lines.spend(pendingCost) }
        if let unique = plan.unique {
            lines.spend(.row)
            if let row = try row(schema, unique, conditions) { _ = visit(row, []) }
            return true
        }
        guard let range = plan.ordered(by: ListQuery.defaultSort) else { return true }
        var pending = PendingRows(of: schema, conditions, after: after, feed) {
            world.plan.key(of: $0, in: range)
        }
        let walk = IndexWalk(range, of: schema, in: world)
        var isWhole = true
        try walk.keys(.ascending, after: after) { (key) throws(StorageError) in
            isWhole = !lines.isSpent && pending.visit(through: key, charging: lines, visit)
            guard isWhole else { return false }
            lines.spend(.row)
            isWhole = visit(try row(schema, range.rest, at: key), [UInt8](key))
            return isWhole
        }
        return isWhole && pending.visit(through: nil, charging: lines, visit)
    }

    /// The cost of a look at all pending changes.
    private var pendingCost: Work { feed.pendingCount * .key }

    /// Returns the row with a number that a key ends with, if it passes the conditions and is no other than durable.
    private func row(
        _ schema: KindSchema, _ conditions: [Condition], at key: UnsafeRawBufferPointer
    ) throws(StorageError) -> RowCopy? {
        guard let number = key.lastNumber else { return nil }
        var row: RowCopy?
        try world.rows(of: schema).row(schema, number: number) {
            if conditions.match($0), !feed.isPending($0) { row = RowCopy($0) }
        }
        return row
    }

    /// Returns the durable row that has a unique text.
    private func row(
        _ schema: KindSchema, _ unique: (text: [UInt8], rest: [Condition]), _ conditions: [Condition]
    ) throws(StorageError) -> RowCopy? {
        var row: RowCopy?
        try world.rows(of: schema).row(schema, folded: unique.text) {
            if unique.rest.match($0), !feed.isPending($0) { row = RowCopy($0) }
        }
        feed.forEachPendingRow(schema) { pending, _ in if conditions.match(pending) { row = RowCopy(pending) } }
        return row
    }
}

/// The rows of a list that have pending changes, as they are durable, in the order of the list.
private struct PendingRows {
    private let feed: ChangeFeed
    /// The keys of the rows and the numbers of their first pending changes, the last one first.
    private var rows: [(key: [UInt8], change: Int)] = []

    /// Finds the rows behind a key.
    init(
        of schema: KindSchema, _ conditions: [Condition], after: [UInt8]?, _ feed: ChangeFeed,
        _ key: (RowView) -> [UInt8]?
    ) {
        self.feed = feed
        feed.forEachPendingRow(schema) { row, change in
            guard conditions.match(row), let key = key(row), after?.precedes(key) ?? true else { return }
            rows.append((key, change))
        }
        rows.sort { $1.key.precedes($0.key) }
    }

    /// Visits the rows through a key, all with nil, until `visit` returns false or the budget of the lines is spent.
    ///
    /// - Returns: true when all were visited.
    mutating func visit(
        through key: UnsafeRawBufferPointer?, charging lines: any AnswerLines,
        _ visit: (RowCopy?, _ key: [UInt8]) -> Bool
    ) -> Bool {
        while let (next, change) = rows.last {
            if let key, next.withUnsafeBytes({ $0.compare(key) > 0 }) { return true }
            guard !lines.isSpent else { return false }
            rows.removeLast()
            lines.spend(.row)
            guard visit(feed.row(before: change), next) else { return false }
        }
        return true
    }
}

extension CataloguePlan {
    /// Returns a row's key in the table of a range; nil when it has none.
    fileprivate func key(of row: RowView, in range: IndexRange) -> [UInt8]? {
        self[row.schema.kind].key(of: row, in: range)
    }
}
