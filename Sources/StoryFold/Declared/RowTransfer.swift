package import StoryCore

/// A transfer of the stored rows, notes, misfits, names and history of a definition to another one that makes the same rows, with
/// the indexes and counts of the latter: its tables are then those that a fold of the log makes.
package struct RowTransfer: ~Copyable {
    private let kind: KindPlan
    private let store: any TableStore
    private let lines: LineMapping
    private var projection = RowProjection()

    /// Creates a transfer into an empty store.
    ///
    /// - Parameters:
    ///   - kind: the plan of the rows by the other definition.
    ///   - store: the store of the other definition.
    ///   - lines: the lines of misfits in the text of the other definition.
    package init(_ kind: KindPlan, to store: any TableStore, lines: LineMapping) {
        (self.kind, self.store, self.lines) = (kind, store, lines)
    }

    /// Transfers everything.
    ///
    /// - Parameters:
    ///   - view: the tables of the first definition.
    ///   - step: called after each entry with the number of rows so far; returns false to give up.
    /// - Throws: the error of either store, or of `step`.
    package mutating func run(
        from view: any TableView, _ step: (_ rows: UInt64) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var rows: UInt64 = 0
        try view.visit(ProgramTables.rows) { (_, value) throws(StorageError) in
            try add(value)
            rows += 1
            return try step(rows)
        }
        let notes = [ProgramTables.counterKey, ProgramTables.erasedKey]
        try view.visit(ProgramTables.counts) { (key, value) throws(StorageError) in
            if let first = key.first, key.count == 1, notes.contains(first) {
                try store.put(value, in: ProgramTables.counts.number, at: key)
            }
            return try step(rows)
        }
        try view.visit(ProgramTables.misfits) { (key, value) throws(StorageError) in
            try MisfitTable.moved(value, to: lines).withBytes { (value) throws(StorageError) in
                try store.put(value, in: ProgramTables.misfits.number, at: key)
            }
            return try step(rows)
        }
        let history = kind.schema.program?.hasHistory == true ? [ProgramTables.history] : []
        for table in [ProgramTables.notes, ProgramTables.seen] + history {
            try view.visit(table) { (key, value) throws(StorageError) in
                try store.put(value, in: table.number, at: key)
                return try step(rows)
            }
        }
    }

    /// Writes a row with its entries in the indexes and counts.
    private mutating func add(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        try projection.apply(RowChange(stored: bytes, of: kind), to: store)
    }
}
