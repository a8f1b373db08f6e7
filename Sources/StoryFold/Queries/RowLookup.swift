package import StoryCore

/// The look-up of rows by key, by number and by unique text.
///
/// A row is valid until the body that gets it returns or looks up another row.
package final class RowLookup: ContentRows {
    /// The store that has the rows.
    package let store: any TableStore
    /// True where writes rest on the rows, and on their absence: the stored pages are compared with their checksums each
    /// time.
    private let isProven: Bool
    private var key = KeyBuffer(capacity: 128)
    /// The row key of an ID that was found in another table.
    private var id = KeyBuffer(capacity: 128)
    /// The batch of numbers to look up.
    private var numbers = KeyBatch()
    /// The batch of row keys found for the numbers, and for each of them the index of its number in `found`.
    private var ids = KeyBatch()
    private var found: [Int] = []

    /// Creates a look-up in a store.
    ///
    /// - Parameter isProven: true for what writes rest on.
    package init(_ store: any TableStore, isProven: Bool = false) {
        self.store = store
        self.isProven = isProven
    }

    /// Calls `body` with the row with a key, after one search.
    ///
    /// - Returns: false when there is none.
    /// - Throws: `.corrupt` when the row is damaged; otherwise any read error of the store.
    package func row(
        _ schema: KindSchema, _ key: RowKey, _ body: (RowView) -> Void
    ) throws(StorageError) -> Bool {
        guard setKey(key) else { return false }
        return try withValue(schema, at: self.key.bytes, body)
    }

    /// Calls `body` with the row with an ID, as `row(_:_:_:)` does with a key.
    package func row(
        _ schema: KindSchema, _ id: Identifier, _ body: (RowView) -> Void
    ) throws(StorageError) -> Bool { try row(schema, RowKey(id), body) }

    /// Returns whether there is a row with an ID.
    ///
    /// - Throws: any read error of the store.
    package func has(_ schema: KindSchema, _ id: Identifier) throws(StorageError) -> Bool {
        guard setKey(RowKey(id)) else { return false }
        return try store.withValue(schema.rows.number, at: key.bytes, isProven: isProven) { _ in }
    }

    /// Calls `body` with the row with a number, as index entries have it, after two searches.
    ///
    /// - Returns: false when there is none.
    /// - Throws: as `row(_:_:_:)`.
    @discardableResult
    package func row(
        _ schema: KindSchema, number: UInt64, _ body: (RowView) -> Void
    ) throws(StorageError) -> Bool {
        key.set(number)
        let isThere = try store.withValue(schema.numbers.number, at: key.bytes, isProven: isProven) { id.setRowKey($0) }
        guard isThere else { return false }
        return try withValue(schema, at: id.bytes, body)
    }

    /// Calls `body` with the rows with some numbers, at most as many as a `KeyBatch` holds, in their order, after two
    /// searches for all.
    ///
    /// - Parameter body: gets the index of the number and its row; numbers without a row are skipped.
    /// - Throws: as `row(_:_:_:)`.
    package func rows(
        _ schema: KindSchema, numbers wanted: [UInt64], _ body: (_ index: Int, RowView) -> Void
    ) throws(StorageError) {
        numbers.clear()
        ids.clear()
        found.removeAll(keepingCapacity: true)
        for number in wanted { numbers.addNumber(number, in: schema.numbers.number) }
        try store.withValues(at: numbers) { index, id in
            guard let id else { return }
            ids.addRow(id, in: schema.rows.number)
            found.append(index)
        }
        var isDamaged = false
        try store.withValues(at: ids) { index, bytes in
            guard let bytes else { return }
            if let row = RowView(schema.layoutPointer, bytes) { body(found[index], row) } else { isDamaged = true }
        }
        if isDamaged { throw .corrupt("a stored row of \(schema.name) is damaged", at: nil) }
    }

    /// Calls `body` with the row that has a unique text.
    ///
    /// - Parameter folded: the text with its ASCII letters in lower case.
    /// - Returns: false when there is none.
    /// - Throws: as `row(_:_:_:)`.
    @discardableResult
    package func row(
        _ schema: KindSchema, folded: [UInt8], _ body: (RowView) -> Void
    ) throws(StorageError) -> Bool {
        guard let unique = schema.unique, KeyBuffer.keyLength.contains(folded.count) else { return false }
        id.clear()
        let isThere = try folded.withBytes { (folded) throws(StorageError) in
            try store.withValue(unique.table.number, at: folded, isProven: isProven) { value in
                if value.count > 6 { id.setRowKey(UnsafeRawBufferPointer(rebasing: value[6...])) }
            }
        }
        guard isThere, id.count > 0 else { return false }
        return try withValue(schema, at: id.bytes, body)
    }

    /// Returns the stored count at a tally's key; 0 where there is none.
    ///
    /// - Throws: any read error of the store.
    package func tally(_ schema: KindSchema, at key: [UInt8]) throws(StorageError) -> UInt64 {
        try store.number(schema.counts.number, at: key) ?? 0
    }

    /// Returns the range that has the fewest rows for a query.
    ///
    /// - Throws: any read error of the store.
    package func narrowest(_ plan: QueryPlan, _ schema: KindSchema) throws(StorageError) -> IndexRange {
        try plan.narrowest { (key) throws(StorageError) in try tally(schema, at: key) }
    }

    /// Returns whether a set has an entry of a row and a name: whether a user likes a story.
    ///
    /// - Throws: any read error of the store.
    package func contains(
        _ table: ModelTable, number: StreamNumber, _ name: Identifier
    ) throws(StorageError) -> Bool {
        key.set(number.value)
        name.spelling.withUnsafeBytes { key.addName($0) }
        return try store.withValue(table.number, at: key.bytes, isProven: isProven) { _ in }
    }

    /// Sets the key to that of a row; returns false when no row has such a key.
    private func setKey(_ key: RowKey) -> Bool {
        key.spelling.withUnsafeBytes { bytes in
            guard RowKey.length.contains(bytes.count) else { return false }
            self.key.setRowKey(bytes)
            return true
        }
    }

    private func withValue(
        _ schema: KindSchema, at key: UnsafeRawBufferPointer, _ body: (RowView) -> Void
    ) throws(StorageError) -> Bool {
        var isDamaged = false
        let isThere = try store.withValue(schema.rows.number, at: key, isProven: isProven) { bytes in
            if let row = RowView(schema.layoutPointer, bytes) { body(row) } else { isDamaged = true }
        }
        guard !isDamaged else { throw .corrupt("a stored row of \(schema.name) is damaged", at: nil) }
        return isThere
    }
}
