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

    /// The row with an ID, as durable events made it: those up to `past`, and as many later ones as are known.
    ///
    /// - Parameter rows: what was found out of rows that events are ahead of which are not durable.
    /// - Returns: nil where the budget was spent before that was found out.
    /// - Throws: what reading failed with.
    package func state(
        of kind: Kind, _ id: Identifier, since past: Position, through durable: Position, _ rows: DurableRows,
        _ budget: inout Budget
    ) throws(StorageError) -> RowState? {
        try state(of: models.schema(kind), id, since: past, through: durable, rows, &budget)
    }

    private func state(
        of schema: KindSchema, _ id: Identifier, since past: Position, through durable: Position, _ rows: DurableRows,
        _ budget: inout Budget
    ) throws(StorageError) -> RowState? {
        guard let head = try models.streams.head(of: StreamName(category: schema.categoryName, id: id)) else {
            return RowState(through: durable)
        }
        let number = head.number.value
        guard head.position > durable else {
            rows.forget(number)
            return try newest(schema, id, head, through: durable)
        }
        let row = rows.row(number) { DurableRow(HistoryFold(of: head, schema, through: durable, in: models, log)) }
        return try row.state(of: head, since: past, through: durable, &budget)
    }

    /// The row with an ID as the models have it.
    private func newest(
        _ schema: KindSchema, _ id: Identifier, _ head: StreamHead, through last: Position
    ) throws(StorageError) -> RowState {
        var row: RowCopy?
        _ = try models.row(schema, id) { row = RowCopy($0) }
        return RowState(number: head.number.value, row: row, position: head.position, through: last)
    }

    /// What an event left of the row whose history it belongs to, and later durable events, as far as the budget goes.
    ///
    /// - Parameter rows: what was found out of rows that events are ahead of which are not durable.
    /// - Throws: what reading failed with.
    package func update(
        by record: EventRecord, through durable: Position, _ rows: DurableRows, _ budget: inout Budget
    ) throws(StorageError) -> FoundUpdate {
        guard let (schema, id) = row(of: record) else { return .none }
        let found = try state(
            of: schema, Identifier(trusted: id), since: record.position, through: durable, rows, &budget)
        guard let found else { return .unknown }
        return .update(RowUpdate(version: record.version, schema: schema, id: id, state: found))
    }

    /// The row whose history an event belongs to.
    private func row(of record: EventRecord) -> (schema: KindSchema, id: [UInt8])? {
        let name = UnsafeRawBufferPointer(rebasing: record.json[record.stream])
        guard let stream = models.plan.catalogue.kind(stream: name) else { return nil }
        return (models.schema(stream.kind), [UInt8](name[stream.idStart...]))
    }

    /// What finds out how the row of an update was when the events up to a position had been.
    ///
    /// - Throws: what reading failed with.
    package func past(of update: RowUpdate, through last: Position) throws(StorageError) -> EarlierRow {
        let (schema, id) = (update.schema, Identifier(trusted: update.id))
        guard let head = try models.streams.head(of: StreamName(category: schema.categoryName, id: id)) else {
            return EarlierRow(nil)
        }
        guard head.position > last else { return EarlierRow(try newest(schema, id, head, through: last).row) }
        return EarlierRow(HistoryFold(of: head, schema, through: last, in: models, log))
    }

    /// The last event that the models know of, durable or not.
    package var head: Position { log.head }

    /// A row's key in the index that a list is shown by; none where that has one row at most.
    package func key(of row: borrowing RowView, _ conditions: [Condition]) -> [UInt8] {
        let plan = QueryPlan(row.schema, conditions)
        guard plan.unique == nil, let range = plan.ordered(by: ListQuery.defaultSort) else { return [] }
        return models.plan.kinds[row.schema.number].key(of: row, in: range.index) ?? []
    }

    /// Shows the rows of a list in the order of its index, until `visit` returns false.
    ///
    /// - Parameters:
    ///   - after: the key of the last row that was shown before.
    ///   - rows: what was found out of rows that events are ahead of which are not durable.
    ///   - visit: is given a row, nil where that is not durable as the list wants it, its key and the budget.
    /// - Returns: true when there are no more.
    /// - Throws: what reading failed with, and what `visit` throws.
    package func list(
        _ kind: Kind, _ conditions: [Condition], after: [UInt8]?, through durable: Position, _ rows: DurableRows,
        _ budget: inout Budget,
        _ visit: (RowCopy?, _ key: [UInt8], inout Budget) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        let schema = models.schema(kind)
        let plan = QueryPlan(schema, conditions)
        if let unique = plan.unique {
            var found: RowCopy?
            budget.look(at: Budget.rowUnits)
            try models.row(schema, folded: unique.text) { if unique.rest.match($0) { found = RowCopy($0) } }
            guard let found else { return true }
            guard let known = try known(found, conditions, through: durable, rows, &budget) else { return false }
            if let row = known.row { _ = try visit(row, [], &budget) }
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
                guard let found else {
                    isWhole = try visit(nil, [UInt8](key), &budget)
                    return isWhole
                }
                guard let known = try known(found, conditions, through: durable, rows, &budget) else {
                    isWhole = false
                    return false
                }
                isWhole = try visit(known.row, [UInt8](key), &budget)
            } catch {
                failure = error
                return false
            }
            return isWhole
        }
        if let failure { throw failure }
        return isWhole
    }

    /// A row as the durable events made it; without a row where that does not pass the conditions.
    ///
    /// - Parameter row: its present state, which passes them.
    /// - Returns: nil where the budget was spent before that was found out.
    /// - Throws: what reading failed with.
    private func known(
        _ row: RowCopy, _ conditions: [Condition], through durable: Position, _ rows: DurableRows,
        _ budget: inout Budget
    ) throws(StorageError) -> RowState? {
        guard row.withView({ $0.position > durable }) else { return RowState(row: row) }
        let id = row.withView { Identifier(trusted: [UInt8]($0.id)) }
        let found = try state(of: row.schema, id, since: durable, through: durable, rows, &budget)
        guard var state = found else { return nil }
        if let row = state.row, !row.withView({ conditions.match($0) }) { state.row = nil }
        return state
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
    /// No event between that one and this position has touched the row.
    package var through = Position.zero

    package init(number: UInt64 = 0, row: RowCopy? = nil, position: Position = .zero, through: Position = .zero) {
        self.number = number
        self.row = row
        self.position = position
        self.through = through
    }
}

/// What an event left of a row: its newest durable state, which may be that of a later event.
package struct RowUpdate {
    /// The event's version.
    package let version: Version
    package let schema: KindSchema
    package let id: [UInt8]
    package var state: RowState
}
