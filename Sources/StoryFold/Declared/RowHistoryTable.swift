package import StoryCore

/// The rows of a declared model as they were: each one as it was left by every event that changed it.
///
/// The table has, at the key of a row and a position of six bytes, the row after the event of that position, or no bytes
/// where the event removed the row.
package struct RowHistoryTable {
    private let store: any TableStore

    /// Creates the table over a model's own store.
    package init(_ store: any TableStore) { self.store = store }

    /// Calls `body` with a row as it was after the event of a position.
    ///
    /// - Returns: false where there was none.
    /// - Throws: `.corrupt` for a damaged row; otherwise any read error of the store.
    package func row(
        _ schema: KindSchema, _ key: RowKey, at position: Position, _ body: (RowView) -> Void
    ) throws(StorageError) -> Bool {
        var (isThere, isDamaged) = (false, false)
        guard key.spelling.withUnsafeBytes({ RowKey.length.contains($0.count) }) else { return false }
        var lower = KeyBuffer()
        var upper = KeyBuffer()
        key.spelling.withUnsafeBytes { RowHistoryTable.set(&lower, to: $0, at: .zero) }
        key.spelling.withUnsafeBytes { RowHistoryTable.set(&upper, to: $0, at: position.next) }
        let bounds = KeyBounds(lower: lower.bytes, upper: upper.bytes)
        try store.walk(ProgramTables.history.number, bounds, .descending) { _, bytes in
            guard !bytes.isEmpty else { return false }
            if let row = RowView(schema.layoutPointer, bytes) { body(row) } else { isDamaged = true }
            isThere = true
            return false
        }
        if isDamaged { throw .corrupt("a stored row of \(schema.name) is damaged", at: nil) }
        return isThere
    }

    /// Adds a row as an event left it.
    ///
    /// - Parameter buffer: memory for the key.
    /// - Throws: any error of the store.
    func add(_ change: RowChange, _ buffer: inout KeyBuffer) throws(StorageError) {
        RowHistoryTable.set(&buffer, to: change.key, at: change.position)
        let row = change.after?.bytes ?? .none
        try store.put(row, in: ProgramTables.history.number, at: buffer.bytes)
    }

    /// Replaces the content of a buffer with the key of a row and a position.
    private static func set(_ buffer: inout KeyBuffer, to key: UnsafeRawBufferPointer, at position: Position) {
        buffer.setRowKey(key)
        buffer.add48(position.value)
    }
}
