import StoryCore

/// The projection of row changes onto tables: the row, its index entries, the tallies and the unique text.
///
/// It reads nothing but the change, so the entries do not depend on the writer or on the order of rows.
struct RowProjection: ~Copyable {
    private var batch = WriteBatch()
    /// The parts of the keys of the row before and of the row after the change.
    private var old = RowKeyParts()
    private var new = RowKeyParts()
    /// The elements of a list before and after the change.
    private var elements = ElementChanges()
    /// The buffer for the value of a unique text.
    private var value = KeyBuffer()

    /// The number of entries that were written last.
    var entryCount: Int { batch.count }

    /// Writes the entries of a row change.
    ///
    /// - Throws: any error of the tables.
    mutating func apply(_ change: RowChange, to tables: any TableWriting) throws(StorageError) {
        batch.clear()
        addRow(change)
        addEntries(change)
        try tables.write(batch)
    }

    /// Writes the entries of a row change without the row.
    ///
    /// - Throws: any error of the tables.
    mutating func applyEntries(_ change: RowChange, to tables: any TableWriting) throws(StorageError) {
        batch.clear()
        addEntries(change)
        try tables.write(batch)
    }

    private mutating func addEntries(_ change: RowChange) {
        let isMoved = change.before == nil || change.after == nil
        let fields = isMoved ? UInt64.max : change.fields
        old.write(change.kind.keyParts, of: change.before, fields: fields)
        new.write(change.kind.keyParts, of: change.after, fields: fields)
        if isMoved { addNumber(change) }
        for plan in change.kind.entries where isMoved || plan.fields & fields != 0 { replace(plan, change) }
        for plan in change.kind.elementEntries where isMoved || plan.fields & fields != 0 { replaceAll(plan, change) }
        if let unique = change.kind.unique, fields >> UInt64(unique.field) & 1 == 1 {
            replace(unique, change)
        }
    }

    /// Puts or removes an entry of a set.
    ///
    /// - Throws: any error of the tables.
    mutating func apply(_ entry: MembershipWrite, to tables: any TableWriting) throws(StorageError) {
        batch.clear()
        add(entry.isPut ? .put(.none) : .remove, in: entry.table) { key in
            key.add48(entry.number)
            key.addName(entry.name)
            return true
        }
        try tables.write(batch)
    }

    private mutating func add(_ action: WriteBatch.Action, in table: UInt8, at key: (inout KeyBuffer) -> Bool) {
        if let key = batch.addKey(key) { batch.add(action, in: table, at: key) }
    }

    private mutating func addRow(_ change: RowChange) {
        let key = change.key
        add(change.after.map { .put($0.bytes) } ?? .remove, in: change.kind.rows) { $0.addRowKey(key) }
    }

    /// Adds or removes the number of a row, which the row keeps.
    private mutating func addNumber(_ change: RowChange) {
        let (key, number) = (change.key, change.number)
        add(change.after == nil ? .remove : .put(key), in: change.kind.numbers) {
            $0.add48(number)
            return true
        }
    }

    /// Replaces the entry of the row before with that of the row after.
    private mutating func replace(_ plan: EntryPlan, _ change: RowChange) {
        let before = batch.addKey(plan, old, change.number)
        let after = batch.addKey(plan, new, change.number)
        replace(before, plan.removal, after, plan.addition, in: plan.table)
    }

    /// Replaces the entries of the elements before with those of the elements after.
    private mutating func replaceAll(_ plan: EntryPlan, _ change: RowChange) {
        guard let field = plan.element else { return }
        elements.write(field, before: change.before, after: change.after)
        for pair in elements.pairs {
            let before = pair.before.flatMap { batch.addKey(plan, old, change.number, element: $0) }
            let after = pair.after.flatMap { batch.addKey(plan, new, change.number, element: $0) }
            replace(before, plan.removal, after, plan.addition, in: plan.table)
        }
    }

    private mutating func replace(_ unique: UniquePlan, _ change: RowChange) {
        let (before, after) = (change.before, change.after)
        let old = batch.addKey { $0.addFolded(unique, before) }
        let new = batch.addKey { $0.addFolded(unique, after) }
        value.set(change.number)
        value.add(change.key)
        replace(old, .remove, new, .put(value.bytes), in: unique.table)
    }

    /// Replaces the entry at the old key with one at the new key; does nothing where both keys are the same.
    private mutating func replace(
        _ old: WriteBatch.Key?, _ removal: WriteBatch.Action, _ new: WriteBatch.Key?, _ addition: WriteBatch.Action,
        in table: UInt8
    ) {
        if let old, let new, batch.bytes(old).equals(batch.bytes(new)) { return }
        if let old { batch.add(removal, in: table, at: old) }
        if let new { batch.add(addition, in: table, at: new) }
    }
}

extension WriteBatch {
    /// Writes the key of a row's entry in an index, or of the tally that it belongs to; returns nil when there is none.
    fileprivate mutating func addKey(
        _ plan: EntryPlan, _ row: borrowing RowKeyParts, _ number: UInt64, element: UnsafeRawBufferPointer = .none
    ) -> Key? {
        guard row.hasRow else { return nil }
        return addKey { key in
            if let tally = plan.tally { key.add(tally) }
            key.add(element)
            guard key.add(plan.parts, of: row) else { return false }
            if plan.tally == nil { key.add48(number) }
            return true
        }
    }
}

extension KeyBuffer {
    /// Adds the key of a row's unique text; returns false when the row has none.
    fileprivate mutating func addFolded(_ unique: UniquePlan, _ row: RowView?) -> Bool {
        guard let row, row.has(unique.field) else { return false }
        addFolded(row.text(unique.field))
        return true
    }
}
