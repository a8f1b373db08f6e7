package import StoryCore
package import StoryModels

/// A reader of durable rows for subscriptions, from the models, or from the log if the models are ahead.
package struct RowWatcher {
    private let world: World

    init(_ world: World) { self.world = world }

    /// Creates a reader with read models of its own.
    ///
    /// - Parameter json: the reader of the data of events that are folded again.
    package init(_ plan: CataloguePlan, store: any TableStore, json: any JSONReading, log: any EventLogReading) {
        world = World(plan, store: store, json: json, log: log)
    }

    /// Returns the durable state of the row with an ID: after the events up to `past`, and any later ones that are
    /// known.
    ///
    /// - Parameter rows: a cache of durable rows that the models are ahead of.
    /// - Returns: nil if the budget was spent first.
    /// - Throws: the error of the read.
    package func state(
        of kind: Kind, _ id: Identifier, since past: Position, through durable: Position, _ rows: DurableRows,
        _ budget: inout Budget
    ) throws(StorageError) -> RowState? {
        try state(of: world.schema(kind), id, since: past, through: durable, rows, &budget)
    }

    private func state(
        of schema: KindSchema, _ id: Identifier, since past: Position, through durable: Position, _ rows: DurableRows,
        _ budget: inout Budget
    ) throws(StorageError) -> RowState? {
        guard let head = try world.streams.head(of: StreamName(category: schema.categoryName, id: id)) else {
            return RowState(through: durable)
        }
        let number = head.number.value
        guard head.position > durable else {
            rows.forget(number)
            return try newest(schema, id, head, through: durable)
        }
        let row = rows.row(number) { DurableRow(world.history(of: head, schema, through: durable)) }
        return try row.state(of: head, since: past, through: durable, &budget)
    }

    /// Returns the row with an ID from the models.
    private func newest(
        _ schema: KindSchema, _ id: Identifier, _ head: StreamHead, through last: Position
    ) throws(StorageError) -> RowState {
        var row: RowCopy?
        _ = try world.rows.row(schema, id) { row = RowCopy($0) }
        return RowState(number: head.number.value, row: row, position: head.position, through: last)
    }

    /// Returns the durable state of the row that an event belongs to, after that event or a later one.
    ///
    /// - Parameter rows: a cache of durable rows that the models are ahead of.
    /// - Throws: the error of the read.
    package func update(
        by record: EventRecord, through durable: Position, _ rows: DurableRows, _ budget: inout Budget
    ) throws(StorageError) -> FoundUpdate {
        guard let (schema, id) = row(of: record) else { return .none }
        let found = try state(
            of: schema, Identifier(trusted: id), since: record.position, through: durable, rows, &budget)
        guard let found else { return .unknown }
        return .update(RowUpdate(version: record.version, schema: schema, id: id, state: found))
    }

    /// Returns the kind and ID of the row that an event belongs to; nil if it belongs to no kind.
    private func row(of record: EventRecord) -> (schema: KindSchema, id: [UInt8])? {
        let name = UnsafeRawBufferPointer(rebasing: record.json[record.stream])
        guard let stream = world.plan.catalogue.kind(stream: name) else { return nil }
        return (world.schema(stream.kind), [UInt8](name[stream.idStart...]))
    }

    /// Returns a fold of the row of an update up to an earlier position.
    ///
    /// - Throws: the error of the read.
    package func past(of update: RowUpdate, through last: Position) throws(StorageError) -> EarlierRow {
        let (schema, id) = (update.schema, Identifier(trusted: update.id))
        guard let head = try world.streams.head(of: StreamName(category: schema.categoryName, id: id)) else {
            return EarlierRow(nil)
        }
        guard head.position > last else { return EarlierRow(try newest(schema, id, head, through: last).row) }
        return EarlierRow(world.history(of: head, schema, through: last))
    }

    /// The last event that the models have, durable or not.
    package var head: Position { world.log.head }

    /// Returns a row's key in the index of a list; empty if the list has one row at most.
    package func key(of row: borrowing RowView, _ conditions: [Condition]) -> [UInt8] {
        let plan = QueryPlan(row.schema, conditions)
        guard plan.unique == nil, let range = plan.ordered(by: ListQuery.defaultSort) else { return [] }
        return world.plan[row.schema.kind].key(of: row, in: range.index) ?? []
    }

    /// Visits the rows of a list in the order of its index, until `visit` returns false.
    ///
    /// - Parameters:
    ///   - after: the key of the last row that was visited before.
    ///   - rows: a cache of durable rows that the models are ahead of.
    ///   - visit: called with a row, nil if its durable state is not in the list, its key and the budget.
    /// - Returns: true when there are no more rows.
    /// - Throws: the error of the read, or of `visit`.
    package func list(
        _ kind: Kind, _ conditions: [Condition], after: [UInt8]?, through durable: Position, _ rows: DurableRows,
        _ budget: inout Budget,
        _ visit: (RowCopy?, _ key: [UInt8], inout Budget) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        let schema = world.schema(kind)
        let plan = QueryPlan(schema, conditions)
        if let unique = plan.unique {
            var found: RowCopy?
            budget.look(at: Budget.rowUnits)
            try world.rows.row(schema, folded: unique.text) { if unique.rest.match($0) { found = RowCopy($0) } }
            guard let found else { return true }
            guard let known = try known(found, conditions, through: durable, rows, &budget) else { return false }
            if let row = known.row { _ = try visit(row, [], &budget) }
            return true
        }
        guard let range = plan.ordered(by: ListQuery.defaultSort) else { return true }
        var failure: StorageError?
        var isWhole = true
        let walk = IndexWalk(
            store: world.store, table: schema.indexes[range.index].table, lower: range.lower, upper: range.upper)
        try walk.keys(.ascending, after: after) { key in
            guard !budget.isSpent else {
                isWhole = false
                return false
            }
            budget.look(at: Budget.rowUnits)
            guard let number = key.lastNumber else { return true }
            do throws(StorageError) {
                var found: RowCopy?
                try world.rows.row(schema, number: number) { if range.rest.match($0) { found = RowCopy($0) } }
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

    /// Returns the durable state of a row; without the row if it does not pass the conditions.
    ///
    /// - Parameter row: its present state, which passes them.
    /// - Returns: nil if the budget was spent first.
    /// - Throws: the error of the read.
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

/// The state of a row after the events up to a position.
package struct RowState {
    /// The row's number; zero if there never was a row.
    package var number: UInt64 = 0
    /// The row; nil if there is none.
    package var row: RowCopy?
    /// The last of those events; zero if there is none.
    package var position = Position.zero
    /// No event after `position` and up to here has touched the row.
    package var through = Position.zero

    /// Creates a state from its parts.
    package init(number: UInt64 = 0, row: RowCopy? = nil, position: Position = .zero, through: Position = .zero) {
        self.number = number
        self.row = row
        self.position = position
        self.through = through
    }
}

/// The update of a row by an event: its newest durable state, which may be that of a later event.
package struct RowUpdate {
    /// The event's version.
    package let version: Version
    /// The schema of the row's kind.
    package let schema: KindSchema
    /// The row's ID.
    package let id: [UInt8]
    /// The row's newest durable state.
    package var state: RowState
}
