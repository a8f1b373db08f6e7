package import StoryCore
package import StoryModels

/// What watchers of rows and lists are shown: durable rows, found in the models, or in the log where those are ahead.
package struct RowWatcher {
    private let models: ReadModels
    private let log: any EventLogReading
    /// A history that is longer is not folded to find out what a row was before an event.
    private static let maxHistory = 1_024

    init(_ ports: Ports) {
        models = ports.models
        log = ports.log
    }

    /// - Parameter json: what reads the data of events that are folded again.
    package init(_ plan: CataloguePlan, store: any TableStore, json: any JSONReading, log: any EventLogReading) {
        models = ReadModels(plan, store: store, json: json)
        self.log = log
    }

    /// The row with an ID, as the events up to a position made it.
    ///
    /// - Throws: what reading failed with.
    package func state(of kind: Kind, _ id: Identifier, through durable: Position) throws(StorageError) -> RowState {
        let schema = models.schema(kind)
        let stream = StreamName(category: schema.categoryName, id: id)
        guard let head = try models.streams.head(of: stream) else { return RowState() }
        guard head.position > durable else {
            var row: RowCopy?
            _ = try models.row(schema, id) { row = RowCopy($0) }
            return RowState(number: head.number.value, row: row, position: head.position)
        }
        return try history(of: head, schema, through: durable, atMost: .max)
    }

    /// What an event left of the row whose history it belongs to.
    ///
    /// - Returns: nil for an event of no kind.
    /// - Throws: what reading failed with.
    package func update(by record: EventRecord, through durable: Position) throws(StorageError) -> RowUpdate? {
        let name = UnsafeRawBufferPointer(rebasing: record.json[record.stream])
        guard let (schema, start) = models.plan.catalogue.kind(stream: name) else { return nil }
        let id = [UInt8](name[start...])
        let state = try state(of: schema.kind, Identifier(trusted: id), through: durable)
        return RowUpdate(version: record.version, schema: schema, id: id, state: state)
    }

    /// The row as it was before the event of an update; nil where there was none, or where its history is too long to
    /// tell, which `isKnown` says.
    ///
    /// - Throws: what reading failed with.
    package func rowBefore(_ update: RowUpdate) throws(StorageError) -> (row: RowCopy?, isKnown: Bool) {
        guard update.version > Version(1) else { return (nil, true) }
        guard update.version.value <= UInt64(RowWatcher.maxHistory) else { return (nil, false) }
        let stream = StreamName(category: update.schema.categoryName, id: Identifier(trusted: update.id))
        guard let head = try models.streams.head(of: stream) else { return (nil, true) }
        let before = Int(update.version.value - 1)
        return (try history(of: head, update.schema, through: .max, atMost: before).row, true)
    }

    /// Shows the rows of a list in the order of its index, until `visit` returns false.
    ///
    /// - Parameters:
    ///   - after: the key of the last row that was shown before.
    ///   - visit: is given a row, nil where that is not durable as the list wants it, its key and the budget.
    /// - Returns: true when there are no more.
    /// - Throws: what reading failed with, and what `visit` throws.
    package func list(
        _ kind: Kind, _ conditions: [Condition], after: [UInt8]?, through durable: Position, _ budget: inout Budget,
        _ visit: (RowCopy?, _ key: [UInt8], inout Budget) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        let schema = models.schema(kind)
        let plan = QueryPlan(schema, conditions)
        if let unique = plan.unique {
            var found: RowCopy?
            budget.look(at: Budget.rowUnits)
            try models.row(schema, folded: unique.text) { found = RowCopy($0) }
            if let found, let row = try passing(found, conditions, through: durable) { _ = try visit(row, [], &budget) }
            return true
        }
        guard let range = plan.ordered(by: ListQuery.defaultSort) else { return true }
        var failure: StorageError?
        var isWhole = true
        let walk = IndexWalk(
            store: models.store, table: schema.indexes[range.index].table, lower: range.lower, upper: range.upper)
        try walk.keys(.ascending, after: after) { key in
            guard !budget.isSpent else {
                isWhole = false
                return false
            }
            budget.look(at: Budget.rowUnits)
            guard let number = key.lastNumber else { return true }
            do throws(StorageError) {
                var found: RowCopy?
                try models.row(schema, number: number) { if range.rest.match($0) { found = RowCopy($0) } }
                let row = try found.flatMap { (row) throws(StorageError) in
                    try passing(row, conditions, through: durable)
                }
                isWhole = try visit(row, [UInt8](key), &budget)
            } catch {
                failure = error
                return false
            }
            return isWhole
        }
        if let failure { throw failure }
        return isWhole
    }

    /// A row as the events up to a position made it, where that passes the conditions.
    ///
    /// - Throws: what reading failed with.
    package func passing(
        _ row: RowCopy, _ conditions: [Condition], through durable: Position
    ) throws(StorageError) -> RowCopy? {
        guard row.withView({ $0.position > durable }) else { return row }
        let id = row.withView { Identifier(trusted: [UInt8]($0.id)) }
        let known = try state(of: row.schema.kind, id, through: durable).row
        return known.flatMap { known in known.withView { conditions.match($0) } ? known : nil }
    }

    /// Folds a stream's first events, at most so many, up to a position.
    private func history(
        of head: StreamHead, _ schema: KindSchema, through last: Position, atMost limit: Int
    ) throws(StorageError) -> RowState {
        var history = HistoryFold(of: head, schema, through: last, in: models, log)
        var left = limit
        while left > 0 {
            let count = try history.fold(atMost: left)
            guard count > 0 else { break }
            left -= count
        }
        return RowState(
            number: head.number.value, row: history.row.map { RowCopy($0) }, position: history.position)
    }
}

/// What the events up to a position made of a row.
package struct RowState {
    /// The row's number; zero where there never was one.
    package var number: UInt64 = 0
    /// Nil where there is no row.
    package var row: RowCopy?
    /// The last of those events; zero where there is none.
    package var position = Position.zero
}

/// What an event left of a row: its newest durable state, which may be that of a later event.
package struct RowUpdate {
    /// The event's version.
    let version: Version
    let schema: KindSchema
    package let id: [UInt8]
    package let state: RowState
}
