package import StoryCore
package import StoryModels

/// What watchers of rows and lists are shown: durable rows, found in the models, or in the log where those are ahead.
package struct RowWatcher {
    private let models: ReadModels
    private let log: any EventLogReading

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
        guard head.position > durable else { return try newest(schema, id, head) }
        var history = HistoryFold(of: head, schema, through: durable, in: models, log)
        try history.foldAll()
        return history.state
    }

    /// The row with an ID as the models have it.
    private func newest(
        _ schema: KindSchema, _ id: Identifier, _ head: StreamHead
    ) throws(StorageError) -> RowState {
        var row: RowCopy?
        _ = try models.row(schema, id) { row = RowCopy($0) }
        return RowState(number: head.number.value, row: row, position: head.position)
    }

    /// What an event left of the row whose history it belongs to, and later events up to a position.
    ///
    /// - Returns: nil for an event of no kind.
    /// - Throws: what reading failed with.
    package func update(by record: EventRecord, through last: Position) throws(StorageError) -> RowUpdate? {
        guard let (schema, id) = row(of: record) else { return nil }
        let state = try state(of: schema.kind, Identifier(trusted: id), through: last)
        return RowUpdate(version: record.version, schema: schema, id: id, state: state)
    }

    /// The same with the durable events, as far as the budget goes.
    ///
    /// - Parameter rows: what was found out of rows that events are ahead of which are not durable.
    /// - Throws: what reading failed with.
    package func update(
        by record: EventRecord, through durable: Position, _ rows: DurableRows, _ budget: inout Budget
    ) throws(StorageError) -> FoundUpdate {
        guard let (schema, id) = row(of: record) else { return .none }
        let number = record.streamNumber.value
        let identifier = Identifier(trusted: id)
        let head = try models.streams.head(of: StreamName(category: schema.categoryName, id: identifier))
        let state: RowState?
        if let head, head.position > durable {
            let row = rows.row(number) { DurableRow(HistoryFold(of: head, schema, through: durable, in: models, log)) }
            state = try row.state(of: head, since: record.position, through: durable, &budget)
        } else {
            rows.forget(number)
            state = try head.map { (head) throws(StorageError) in try newest(schema, identifier, head) } ?? RowState()
        }
        guard let state else { return .unknown }
        return .update(RowUpdate(version: record.version, schema: schema, id: id, state: state))
    }

    /// The row whose history an event belongs to.
    private func row(of record: EventRecord) -> (schema: KindSchema, id: [UInt8])? {
        let name = UnsafeRawBufferPointer(rebasing: record.json[record.stream])
        guard let (schema, start) = models.plan.catalogue.kind(stream: name) else { return nil }
        return (schema, [UInt8](name[start...]))
    }

    /// What finds out how a row was before the event that updated it.
    ///
    /// - Throws: what reading failed with.
    package func before(_ event: Position, _ update: RowUpdate) throws(StorageError) -> RowBefore {
        let stream = StreamName(category: update.schema.categoryName, id: Identifier(trusted: update.id))
        guard update.version > Version(1), let head = try models.streams.head(of: stream) else { return RowBefore() }
        let last = Position(event.value - 1)
        return RowBefore(HistoryFold(of: head, update.schema, through: last, in: models, log))
    }

    /// The last event that the models know of, durable or not.
    package var head: Position { log.head }

    /// A row's key in the index that a list is shown by; none where that has one row at most.
    package func key(of row: borrowing RowView, _ conditions: [Condition]) -> [UInt8] {
        let plan = QueryPlan(row.schema, conditions)
        guard plan.unique == nil, let range = plan.ordered(by: ListQuery.defaultSort) else { return [] }
        return models.plan.kinds[row.schema.number].key(of: row, in: range.index) ?? []
    }

    /// True when a row was shown in a list that was walked: the durable events had made it what it was, and with the
    /// others it still was in the index.
    ///
    /// - Throws: what reading failed with.
    package func wasListed(
        _ row: RowCopy, _ conditions: [Condition], durable: Position, head: Position
    ) throws(StorageError) -> Bool {
        let (id, position) = row.withView { (Identifier(trusted: [UInt8]($0.id)), $0.position) }
        let shown = try state(of: row.schema.kind, id, through: durable).row
        guard shown?.withView({ $0.position == position }) == true else { return false }
        let walked = durable == head ? shown : try state(of: row.schema.kind, id, through: head).row
        return walked?.withView { conditions.match($0) } ?? false
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
            try models.row(schema, folded: unique.text) { if unique.rest.match($0) { found = RowCopy($0) } }
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

    /// The row as the events up to a position made it; nil where that does not pass the conditions. `row`, its present
    /// state, passes them.
    ///
    /// - Throws: what reading failed with.
    private func passing(
        _ row: RowCopy, _ conditions: [Condition], through durable: Position
    ) throws(StorageError) -> RowCopy? {
        guard row.withView({ $0.position > durable }) else { return row }
        let id = row.withView { Identifier(trusted: [UInt8]($0.id)) }
        let known = try state(of: row.schema.kind, id, through: durable).row
        return known.flatMap { known in known.withView { conditions.match($0) } ? known : nil }
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
    package let schema: KindSchema
    package let id: [UInt8]
    package let state: RowState
}
