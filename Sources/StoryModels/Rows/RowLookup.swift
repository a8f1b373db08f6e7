package import StoryCore
import StoryStorage

/// Finds rows by ID, by number, and by what is unique.
package struct RowLookup: ~Copyable {
    private let store: any TableStore
    private var key = KeyBuffer(capacity: 128)
    /// The ID that another table leads to.
    private var id = KeyBuffer(capacity: 128)
    /// The numbers that are looked up together.
    private var numbers = KeyBatch()
    /// The IDs that they lead to, and which of the numbers leads to each.
    private var ids = KeyBatch()
    private var found: [Int] = []

    package init(_ store: any TableStore) { self.store = store }

    /// Lends the row with an ID: one search.
    ///
    /// - Returns: false when there is none.
    /// - Throws: `.corrupt` when the row is damaged; otherwise what reading failed with.
    package mutating func row(
        _ schema: KindSchema, id: UnsafeRawBufferPointer, _ body: (RowView) -> Void
    ) throws(StorageError) -> Bool {
        guard Identifier.length.contains(id.count) else { return false }
        key.setRowKey(id)
        return try withValue(schema, at: key.bytes, body)
    }

    /// True when there is a row with an ID.
    ///
    /// - Parameter table: that of the kind's rows.
    /// - Throws: what reading failed with.
    package mutating func has(_ table: UInt8, id: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
        guard Identifier.length.contains(id.count) else { return false }
        key.setRowKey(id)
        return try store.withValue(table, at: key.bytes) { _ in }
    }

    /// Lends the row with a number, as the entries of indexes have it: two searches.
    ///
    /// - Returns: false when there is none.
    /// - Throws: as `row(_:id:_:)`.
    package mutating func row(
        _ schema: KindSchema, number: UInt64, _ body: (RowView) -> Void
    ) throws(StorageError) -> Bool {
        key.set(number)
        let isThere = try store.withValue(schema.numbers.number, at: key.bytes) { id.setRowKey($0) }
        guard isThere else { return false }
        return try withValue(schema, at: id.bytes, body)
    }

    /// Lends the rows with some numbers, as many as a `KeyBatch` has room for, in their order: two searches for all.
    ///
    /// - Parameter body: is told which of the numbers it is; what there is no row of is passed over.
    /// - Throws: as `row(_:id:_:)`.
    package mutating func rows(
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

    /// Lends the row that has a unique text.
    ///
    /// - Parameter folded: the text with its ASCII letters in lower case.
    /// - Returns: false when there is none.
    /// - Throws: as `row(_:id:_:)`.
    package mutating func row(
        _ schema: KindSchema, folded: UnsafeRawBufferPointer, _ body: (RowView) -> Void
    ) throws(StorageError) -> Bool {
        guard let unique = schema.unique, KeyBuffer.keyLength.contains(folded.count) else { return false }
        id.clear()
        let isThere = try store.withValue(unique.table.number, at: folded) { value in
            if value.count > 6 { id.setRowKey(UnsafeRawBufferPointer(rebasing: value[6...])) }
        }
        guard isThere, id.count > 0 else { return false }
        return try withValue(schema, at: id.bytes, body)
    }

    /// The kept count at a tally's key; 0 where none is kept.
    ///
    /// - Throws: what reading failed with.
    package func count(_ schema: KindSchema, at key: [UInt8]) throws(StorageError) -> UInt64 {
        var count: UInt64 = 0
        try key.withBytes { (key) throws(StorageError) in
            count = try store.number(schema.counts.number, at: key) ?? 0
        }
        return count
    }

    /// True when a set has an entry of a row and a name: whether a user likes a story.
    ///
    /// - Throws: what reading failed with.
    package mutating func contains(
        _ table: ModelTable, number: UInt64, name: UnsafeRawBufferPointer
    ) throws(StorageError) -> Bool {
        key.set(number)
        key.addName(name)
        return try store.withValue(table.number, at: key.bytes) { _ in }
    }

    private func withValue(
        _ schema: KindSchema, at key: UnsafeRawBufferPointer, _ body: (RowView) -> Void
    ) throws(StorageError) -> Bool {
        var isDamaged = false
        let isThere = try store.withValue(schema.rows.number, at: key) { bytes in
            if let row = RowView(schema.layoutPointer, bytes) { body(row) } else { isDamaged = true }
        }
        guard !isDamaged else { throw .corrupt("a stored row of \(schema.name) is damaged", at: nil) }
        return isThere
    }
}
