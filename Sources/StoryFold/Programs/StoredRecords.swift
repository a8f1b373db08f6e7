import StoryCore

/// The rows and notes of a model's store before an event. A row is copied into memory of its own, since it is needed after
/// the fold has moved its bytes; a note into the memory of the fold that reads it.
final class StoredRecords: ModelMemory {
    private let store: any TableStore
    private let program: Program
    var kind: KindPlan
    /// The rows that the event looked at.
    private var rows: [(key: UnsafeRawBufferPointer, row: RowView)] = []
    private let rowMemory = FoldMemory()
    private var key = KeyBuffer()
    /// The error of a reading; nil where none failed.
    private(set) var failure: StorageError?

    init(_ store: any TableStore, of kind: KindPlan, _ program: Program) {
        (self.store, self.kind, self.program) = (store, kind, program)
    }

    deinit { rowMemory.free() }

    func begin() {
        rows.removeAll(keepingCapacity: true)
        rowMemory.reset()
        failure = nil
    }

    /// Returns the row of a key as it was before the event; nil where there was none, or it was not looked at.
    func row(_ key: UnsafeRawBufferPointer) -> RowView? { rows.first { $0.key.equals(key) }?.row }

    func readRow(
        _ key: UnsafeRawBufferPointer, into values: UnsafeMutablePointer<ModelValue>, _ memory: FoldMemory
    ) -> StoredPresence {
        if let row = row(key) {
            ModelRows(kind.schema).read(row, into: values)
            return .found
        }
        guard let bytes = copy(of: key, in: kind.rows, rowMemory) else { return failure == nil ? .absent : .failed }
        guard let row = RowView(kind.layout, bytes) else { return damaged() }
        rows.append((rowMemory.copy(key), row))
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
