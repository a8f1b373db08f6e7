package import StoryCore

/// The fold of events into the rows and notes of one declared model, by its program.
///
/// A long event is folded in steps: first its rule, then each change.
package struct ModelFold: ~Copyable {
    /// The state of an event after a step.
    package enum Step: Equatable {
        /// The event is to be gone on with.
        case more
        /// The event is folded, or did not fit for a reason.
        case ended(Misfit?)
    }

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
    /// The event that is folded in steps; nil between two events.
    private var current: ProgramEvent?
    /// The changes of that event, and the number of those that are applied; nil while its rule is carried out.
    private var changes: ModelChanges?
    private var applied = 0
    /// The work that was done, and the number of rows and notes that were changed.
    package private(set) var (spent, changeCount) = (Work.zero, 0)
    /// True once it is known that the store notes that it passed over an erased event.
    private var knowsErased = false
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
    package mutating func undone() {
        seen.forget()
        knowsErased = false
    }

    /// Folds an event.
    ///
    /// - Returns: the reason why the event did not fit; nil where it did, or is not read.
    /// - Throws: any error of the store; a damaged row.
    @discardableResult
    package mutating func fold(_ record: EventRecord) throws(StorageError) -> Misfit? {
        guard try begin(record), case .ended(let misfit) = try advance(within: .unlimited) else { return nil }
        return misfit
    }

    /// Begins to fold an event, which stays valid until `advance` has ended it.
    ///
    /// - Returns: false where the event is not read, so that there is nothing to advance.
    /// - Throws: any error of the store.
    package mutating func begin(_ record: EventRecord) throws(StorageError) -> Bool {
        let type = record.json.slice(record.type.lowerBound, count: record.type.count)
        let stream = record.streamName
        guard let dash = stream.firstIndex(of: 0x2D), program.reads(category: stream.slice(0, count: dash)) else {
            return false
        }
        guard record.erased == nil else {
            try noteErased()
            return false
        }
        if wantsNames { try see(category: stream.slice(0, count: dash), type: type) }
        guard program.hasRule(type: type) else { return false }
        spent += paths.work(ofBytes: record.json.count)
        guard let event = events.read(record, paths) else { return false }
        try begin(event)
        return true
    }

    private mutating func noteErased() throws(StorageError) {
        guard !knowsErased else { return }
        knowsErased = true
        key.clear()
        key.add(ProgramTables.erasedKey)
        if try store.number(kind.counts, at: key.bytes) == nil { try store.add(1, in: kind.counts, at: key.bytes) }
    }

    /// Returns true where an event of the categories was erased: whoever folded it before has other counts.
    ///
    /// - Throws: any read error of the store.
    package mutating func hasPassedErased() throws(StorageError) -> Bool {
        key.clear()
        key.add(ProgramTables.erasedKey)
        return try store.number(kind.counts, at: key.bytes) != nil
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
        try begin(event)
        guard case .ended(let misfit) = try advance(within: .unlimited) else { return nil }
        return misfit
    }

    private mutating func begin(_ event: ProgramEvent) throws(StorageError) {
        if wantsNames { try seen.see(event.values) }
        stored.begin()
        (current, changes, applied) = (fold.begin(program, event) ? event : nil, nil, 0)
        spent += .modelEvent
    }

    /// Goes on with the event that `begin` got, as long as work is left.
    ///
    /// - Throws: any error of the store; a damaged row.
    package mutating func advance(within limit: Work) throws(StorageError) -> Step {
        guard let event = current else { return .ended(nil) }
        var left = limit
        defer { spent += limit - left }
        if changes == nil {
            guard let outcome = fold.advance(program, event, in: stored, &left) else { return .more }
            switch outcome {
            case .noRule: return end()
            case .failed:
                current = nil
                throw stored.failure ?? .failed("a row of \(kind.schema.name) could not be read")
            case .misfit(let misfit):
                try misfits.add(misfit, at: event.position)
                left -= 8 * .entry
                return end(misfit)
            case .changes(let made): changes = made
            }
        }
        guard let changes else { return end() }
        while applied < changes.rows.count + changes.notes.count {
            guard left > .zero else { return .more }
            left -= try applyNext(of: changes, at: event.position)
        }
        return end()
    }

    private mutating func end(_ misfit: Misfit? = nil) -> Step {
        (current, changes) = (nil, nil)
        // There may be many models, and an event may need megabytes.
        fold.release()
        stored.begin()
        return .ended(misfit)
    }

    /// Applies the next change of an event: of the rows, then of the notes.
    ///
    /// - Returns: the work that it took.
    private mutating func applyNext(of changes: ModelChanges, at position: Position) throws(StorageError) -> Work {
        let index = applied
        applied += 1
        changeCount += 1
        guard index >= changes.rows.count else { return try apply(changes.rows[index], at: position) }
        let note = changes.notes[index - changes.rows.count]
        key.setRowKey(note.key)
        guard let values = note.after else {
            try store.remove(in: ProgramTables.notes.number, at: key.bytes)
            return .changedRow
        }
        let record = UnsafeBufferPointer(start: values, count: program.noteTypes.count)
        PackedRecord.write(record, to: row.ensureCapacity(PackedRecord.count(record)))
        try store.put(row.bytes, in: ProgramTables.notes.number, at: key.bytes)
        return .changedRow + .folded(row.bytes.count)
    }

    private mutating func apply(_ change: RowDifference, at position: Position) throws(StorageError) -> Work {
        let old = stored.row(change.key)
        guard let after = change.after else {
            guard let old else { return .zero }
            return try publish(
                RowChange(
                    kind: kind, number: old.number, key: change.key, position: position, before: old, after: nil,
                    fields: .max))
        }
        let number = if let old { old.number } else { try nextNumber() }
        let changes = (old?.version.value ?? 0) + 1
        let new = ModelRow(key: change.key, changes: changes, position: position, values: after)
        ModelRows(kind.schema).write(new, number: number, to: &row)
        return try publish(
            RowChange(
                kind: kind, number: number, key: change.key, position: position, before: old,
                after: RowView(trusted: row.bytes, kind.layout), fields: old == nil ? .max : change.fields))
    }

    private mutating func publish(_ change: RowChange) throws(StorageError) -> Work {
        if defersIndexes { try writeRow(change) } else { try projection.apply(change, to: store) }
        try history?.add(change, &key)
        feed?.folded(change)
        let bytes = (change.before?.bytes.count ?? 0) + (change.after?.bytes.count ?? 0)
        return .changedRow + (defersIndexes ? 1 : projection.entryCount) * .entry + .folded(bytes)
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

    /// Writes the number, the entries of the indexes and the counts of a row that was written alone, by one or more
    /// changes.
    ///
    /// - Parameter change: the row before the first change and after the last one.
    /// - Throws: any error of the store.
    package mutating func writeEntries(of change: RowChange) throws(StorageError) {
        guard let before = change.before, let after = change.after, before.number != after.number else {
            try projection.applyEntries(change, to: store)
            spent += projection.entryCount * .entry
            return
        }
        // The row was removed and made again.
        try writeEntries(of: change.with(before: before, after: nil))
        try writeEntries(of: change.with(before: nil, after: after))
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
