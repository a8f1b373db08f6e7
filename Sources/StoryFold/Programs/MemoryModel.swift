package import StoryCore

/// A model in memory: the rows, notes and misfits of the events so far, packed as a store would have them.
package final class MemoryModel: ModelMemory {
    /// A row with the number of rows that were made before it.
    package struct Row {
        /// The key, as `ModelKey` has it.
        package let key: [UInt8]
        /// The values, as `PackedRecord` has them.
        package fileprivate(set) var record: [UInt8] = []
        package fileprivate(set) var changes: UInt64 = 0
        package fileprivate(set) var position = Position.zero
        fileprivate let created: Int
    }

    /// The definition of the model.
    package let definition: Definition
    /// The note records by their keys, packed.
    package private(set) var notes: [[UInt8]: [UInt8]] = [:]
    /// The newest misfits, the newest one last.
    package private(set) var misfits: [(position: Position, misfit: Misfit)] = []
    /// The number of all misfits.
    package private(set) var misfitCount = 0

    /// The keys of the rows that the last event changed.
    private var changed: [[UInt8]] = []

    private var stored: [[UInt8]: Row] = [:]
    private var created = 0
    private var fold = ProgramFold()

    /// Creates a model without rows.
    package init(_ definition: Definition) { self.definition = definition }

    /// Returns the row of a key; nil where there is none.
    func row(_ key: [UInt8]) -> Row? { stored[key] }

    /// The memory of the rows and notes, in bytes.
    var bytes: Int {
        stored.values.reduce(0) { $0 + $1.key.count + $1.record.count }
            + notes.reduce(0) { $0 + $1.key.count + $1.value.count }
    }

    /// The rows, in the order in which they were made.
    package var rows: [Row] { stored.values.sorted { $0.created < $1.created } }

    /// Folds an event, whose values are those of the definition's program.
    package func fold(_ event: ProgramEvent) {
        var work = Work.unlimited
        if begin(event) { _ = advance(event, &work) }
    }

    /// Begins to fold an event; returns false where the program has no rule for it.
    func begin(_ event: ProgramEvent) -> Bool {
        changed.removeAll(keepingCapacity: true)
        return fold.begin(definition.program, event)
    }

    /// Goes on with the event that `begin` got, as long as work is left.
    ///
    /// - Parameter work: the work that may be done; the work that was done is taken off.
    /// - Returns: false where it is to be gone on with.
    func advance(_ event: ProgramEvent, _ work: inout Work) -> Bool {
        guard let outcome = fold.advance(definition.program, event, in: self, &work) else { return false }
        switch outcome {
        case .noRule, .failed: break
        case .misfit(let misfit):
            misfitCount += 1
            misfits.append((event.position, misfit))
            if misfits.count > DefinitionLimits.misfits { misfits.removeFirst() }
        case .changes(let changes): apply(changes, at: event.position)
        }
        return true
    }

    private func apply(_ changes: ModelChanges, at position: Position) {
        for note in changes.notes {
            notes[[UInt8](note.key)] = note.after.map { MemoryModel.record($0, definition.notes.count) }
        }
        for change in changes.rows {
            let key = [UInt8](change.key)
            changed.append(key)
            guard let after = change.after else {
                stored[key] = nil
                continue
            }
            if stored[key] == nil { created += 1 }
            var row = stored[key] ?? Row(key: key, created: created)
            row.changes += 1
            row.position = position
            row.record = MemoryModel.record(after, definition.fields.count)
            stored[key] = row
        }
    }

    private static func record(_ values: UnsafePointer<ModelValue>, _ count: Int) -> [UInt8] {
        let values = UnsafeBufferPointer(start: values, count: count)
        let size = PackedRecord.count(values)
        return [UInt8](unsafeUninitializedCapacity: size) { bytes, count in
            if let start = bytes.baseAddress { PackedRecord.write(values, to: start) }
            count = size
        }
    }

    // MARK: The memory of the fold
    package func readRow(
        _ key: UnsafeRawBufferPointer, into values: UnsafeMutablePointer<ModelValue>, _ memory: FoldMemory
    ) -> StoredPresence {
        MemoryModel.read(stored[[UInt8](key)]?.record, definition.program.fieldTypes, into: values, memory)
    }

    package func readNote(
        _ key: UnsafeRawBufferPointer, into values: UnsafeMutablePointer<ModelValue>, _ memory: FoldMemory
    ) -> StoredPresence {
        MemoryModel.read(notes[[UInt8](key)], definition.program.noteTypes, into: values, memory)
    }

    private static func read(
        _ record: [UInt8]?, _ types: UnsafeBufferPointer<ModelFieldType>,
        into values: UnsafeMutablePointer<ModelValue>, _ memory: FoldMemory
    ) -> StoredPresence {
        guard let record else { return .absent }
        return PackedRecord.read(record.withUnsafeBytes { memory.copy($0) }, types, into: values) ? .found : .failed
    }
}

/// Rows as they are shown.
extension MemoryModel {
    /// Calls `body` with the values of a row, which are valid until it returns.
    package func withValues<Result>(_ row: Row, _ body: (UnsafePointer<ModelValue>) -> Result) -> Result {
        let types = definition.program.fieldTypes
        var values = Array(repeating: ModelValue.missing, count: types.count + 1)
        return row.record.withUnsafeBytes { record in
            values.withUnsafeMutableBufferPointer { values in
                guard let start = values.baseAddress else { preconditionFailure("a row without memory for its values") }
                _ = PackedRecord.read(record, types, into: start)
                return body(start)
            }
        }
    }

    /// Calls `body` with a row as a view, which is valid until it returns.
    func withRow<Result>(_ row: Row, _ body: (ModelRow) -> Result) -> Result {
        withValues(row) { values in
            row.key.withUnsafeBytes {
                body(ModelRow(key: $0, changes: row.changes, position: row.position, values: values))
            }
        }
    }

    /// Returns a row as JSON.
    package func json(_ row: Row) -> String {
        withRow(row) { row in
            var bytes: [UInt8] = []
            row.appendJSON(to: &bytes, definition.fields)
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Returns the ID of a row.
    package func id(_ row: Row) -> String { id(ofKey: row.key) }

    /// The IDs of the rows that the last event changed.
    package var changedIDs: [String] { changed.map(id(ofKey:)) }

    private func id(ofKey key: [UInt8]) -> String {
        key.withUnsafeBytes { String(decoding: RowKeyShape.someParts.text(of: $0), as: UTF8.self) }
    }
}
