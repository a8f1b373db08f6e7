package import StoryCore

/// The fold of events into the rows and notes of one declared model, by its program.
package struct ModelFold: ~Copyable {
    private let program: Program
    private var kind: KindPlan
    private let store: any TableStore
    /// The reader of the values that the program looks at; one thread uses it at a time.
    package var events: any EventReading
    private let paths: EventPaths
    private let stored: StoredRecords
    private let misfits: MisfitTable
    private var seen: SeenNames
    /// The rows as they were; nil without `history`.
    private let history: RowHistoryTable?
    private var fold = ProgramFold()
    private var projection = RowProjection()
    private var row = KeyBuffer()
    private var key = KeyBuffer()
    /// The feed that gets each row change, besides the tables; nil: none.
    package var feed: ChangeFeed?
    /// True while rows are written without their numbers, entries of indexes and counts, which `RowIndexing` makes.
    package var defersIndexes = false

    /// Creates a fold into a store.
    ///
    /// - Parameters:
    ///   - kind: the plan of the rows; it is valid until `begins` or as long as the fold.
    ///   - events: the reader of the values that the program looks at.
    package init(_ program: Program, _ kind: KindPlan, store: any TableStore, events: any EventReading) {
        (self.program, self.kind, self.store, self.events) = (program, kind, store, events)
        paths = EventPaths([program])
        stored = StoredRecords(store, of: kind, program)
        misfits = MisfitTable(store)
        seen = SeenNames(program, in: store)
        history = kind.schema.program?.hasHistory == true ? RowHistoryTable(store) : nil
    }

    /// Writes the rows by the plan of another catalogue from now on, and tells a feed of their changes.
    package mutating func begins(_ kind: KindPlan, _ feed: ChangeFeed) {
        self.kind = kind
        self.feed = feed
        stored.kind = kind
    }

    /// Notes that the store has lost events.
    package mutating func undone() { seen.forget() }

    /// Folds an event.
    ///
    /// - Returns: the reason why the event did not fit; nil where it did, or is not read.
    /// - Throws: any error of the store; a damaged row.
    @discardableResult
    package mutating func fold(_ record: EventRecord) throws(StorageError) -> Misfit? {
        guard record.erased == nil else { return nil }
        let type = record.json.slice(record.type.lowerBound, count: record.type.count)
        let stream = record.streamName
        guard let dash = stream.firstIndex(of: 0x2D), program.reads(category: stream.slice(0, count: dash)) else {
            return nil
        }
        if wantsNames { try see(category: stream.slice(0, count: dash), type: type) }
        guard program.hasRule(type: type), let event = events.read(record, paths) else { return nil }
        return try fold(event)
    }

    /// True while there are names that no event had.
    package var wantsNames: Bool { !seen.isComplete }

    /// Notes the category and the type of an event that the program reads.
    ///
    /// - Throws: any error of the store.
    package mutating func see(
        category: UnsafeRawBufferPointer, type: UnsafeRawBufferPointer
    ) throws(StorageError) {
        try seen.see(category: category, type: type)
    }

    /// Folds an event whose values were read.
    ///
    /// - Returns: the reason why the event did not fit; nil where it did, or is not read.
    /// - Throws: as the other `fold`.
    @discardableResult
    package mutating func fold(_ event: ProgramEvent) throws(StorageError) -> Misfit? {
        if wantsNames { try seen.see(event.values) }
        stored.begin()
        switch fold.fold(program, event, in: stored) {
        case .noRule: break
        case .failed: throw stored.failure ?? .failed("a row of \(kind.schema.name) could not be read")
        case .misfit(let misfit):
            try misfits.add(misfit, at: event.position)
            return misfit
        case .changes(let changes): try apply(changes, at: event.position)
        }
        return nil
    }

    private mutating func apply(_ changes: ModelChanges, at position: Position) throws(StorageError) {
        for change in changes.rows { try apply(change, at: position) }
        for note in changes.notes {
            key.setRowKey(note.key)
            if let values = note.after {
                let values = UnsafeBufferPointer(start: values, count: program.noteTypes.count)
                PackedRecord.write(values, to: row.ensureCapacity(PackedRecord.count(values)))
                try store.put(row.bytes, in: ProgramTables.notes.number, at: key.bytes)
            } else {
                try store.remove(in: ProgramTables.notes.number, at: key.bytes)
            }
        }
    }

    private mutating func apply(_ change: RowDifference, at position: Position) throws(StorageError) {
        let old = stored.row(change.key)
        guard let after = change.after else {
            guard let old else { return }
            return try publish(
                RowChange(
                    kind: kind, number: old.number, key: change.key, position: position, before: old, after: nil,
                    fields: .max))
        }
        let number = if let old { old.number } else { try nextNumber() }
        let changes = (old?.version.value ?? 0) + 1
        let new = ModelRow(key: change.key, changes: changes, position: position, values: after)
        ModelRows(kind.schema).write(new, number: number, to: &row)
        try publish(
            RowChange(
                kind: kind, number: number, key: change.key, position: position, before: old,
                after: RowView(trusted: row.bytes, kind.layout), fields: old == nil ? .max : change.fields))
    }

    private mutating func publish(_ change: RowChange) throws(StorageError) {
        if defersIndexes { try writeRow(change) } else { try projection.apply(change, to: store) }
        try history?.add(change, &key)
        feed?.folded(change)
    }

    /// Writes the row of a change alone.
    private mutating func writeRow(_ change: RowChange) throws(StorageError) {
        key.setRowKey(change.key)
        if let row = change.after {
            try store.put(row.bytes, in: kind.rows, at: key.bytes)
        } else {
            try store.remove(in: kind.rows, at: key.bytes)
        }
    }

    /// Takes the number of a new row.
    private mutating func nextNumber() throws(StorageError) -> UInt64 {
        key.clear()
        key.add(ProgramTables.counterKey)
        let last = try store.number(kind.counts, at: key.bytes) ?? 0
        try store.add(1, in: kind.counts, at: key.bytes)
        return last + 1
    }

    /// Returns the number of rows.
    ///
    /// - Throws: any read error of the store.
    package func rowCount() throws(StorageError) -> UInt64 {
        guard case .tally(let key, _) = QueryPlan(kind.schema, []).count else { return 0 }
        return try RowLookup(store).tally(kind.schema, at: key)
    }
}

/// The rows and notes of a model's store before an event, copied into the memory of the fold that reads them.
private final class StoredRecords: ModelMemory {
    private let store: any TableStore
    private let program: Program
    var kind: KindPlan
    /// The rows that the event looked at.
    private var rows: [(key: UnsafeRawBufferPointer, row: RowView)] = []
    private var key = KeyBuffer()
    /// The error of a reading; nil where none failed.
    private(set) var failure: StorageError?

    init(_ store: any TableStore, of kind: KindPlan, _ program: Program) {
        (self.store, self.kind, self.program) = (store, kind, program)
    }

    func begin() {
        rows.removeAll(keepingCapacity: true)
        failure = nil
    }

    /// Returns the row of a key as it was before the event; nil where there was none, or it was not looked at.
    func row(_ key: UnsafeRawBufferPointer) -> RowView? { rows.first { $0.key.equals(key) }?.row }

    func readRow(
        _ key: UnsafeRawBufferPointer, into values: UnsafeMutablePointer<ModelValue>, _ memory: FoldMemory
    ) -> StoredPresence {
        guard let bytes = copy(of: key, in: kind.rows, memory) else { return failure == nil ? .absent : .failed }
        guard let row = RowView(kind.layout, bytes) else { return damaged() }
        rows.append((memory.copy(key), row))
        ModelRows(kind.schema).read(row, into: values)
        return .found
    }

    func readNote(
        _ key: UnsafeRawBufferPointer, into values: UnsafeMutablePointer<ModelValue>, _ memory: FoldMemory
    ) -> StoredPresence {
        guard let bytes = copy(of: key, in: ProgramTables.notes.number, memory) else {
            return failure == nil ? .absent : .failed
        }
        return PackedRecord.read(bytes, program.noteTypes, into: values) ? .found : damaged()
    }

    private func copy(
        of key: UnsafeRawBufferPointer, in table: UInt8, _ memory: FoldMemory
    ) -> UnsafeRawBufferPointer? {
        self.key.setRowKey(key)
        var copy: UnsafeRawBufferPointer?
        do throws(StorageError) {
            try store.withValue(table, at: self.key.bytes) { copy = memory.copy($0) }
        } catch {
            failure = error
        }
        return copy
    }

    private func damaged() -> StoredPresence {
        failure = .corrupt("a stored row of \(kind.schema.name) is damaged", at: nil)
        return .failed
    }
}
