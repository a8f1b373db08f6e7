import StoryCore

/// Writes what a change of a row makes of the tables: the row, its index entries, the tallies, what is unique.
///
/// It needs nothing but the change, so entries are the same whoever takes them in, and in whatever order rows come.
struct RowProjection: ~Copyable {
    private var batch = EntryBatch()
    /// The parts of the keys of the row before and of the row after.
    private var old = RowKeyParts()
    private var new = RowKeyParts()
    /// The value of a unique text.
    private var value = KeyBuffer()

    /// - Throws: what the tables cannot do any more.
    mutating func apply(_ change: RowChange, to tables: any EntryWriting) throws(StorageError) {
        batch.clear()
        let isMoved = change.before == nil || change.after == nil
        let fields = isMoved ? UInt64.max : change.fields
        old.write(change.kind.keyParts, of: change.before, fields: fields)
        new.write(change.kind.keyParts, of: change.after, fields: fields)
        addRow(change)
        for index in change.kind.indexes where isMoved || index.fields & fields != 0 { move(index, change) }
        for tally in change.kind.tallies where isMoved || tally.fields & fields != 0 { count(tally, change) }
        if let unique = change.kind.unique, fields >> UInt64(unique.field) & 1 == 1 {
            replace(unique, change)
        }
        try tables.write(batch)
    }

    /// Puts or removes an entry of a set.
    ///
    /// - Throws: what the tables cannot do any more.
    mutating func apply(_ entry: MembershipEntry, to tables: any EntryWriting) throws(StorageError) {
        batch.clear()
        add(entry.isPut ? .put(.none) : .remove, in: entry.table) { key in
            key.add48(entry.number)
            key.addName(entry.name)
            return true
        }
        try tables.write(batch)
    }

    private mutating func add(_ action: EntryBatch.Action, in table: UInt8, at key: (inout KeyBuffer) -> Bool) {
        if let key = batch.addKey(key) { batch.add(action, in: table, at: key) }
    }

    private mutating func addRow(_ change: RowChange) {
        let (id, number) = (change.id, change.number)
        add(change.after.map { .put($0.bytes) } ?? .remove, in: change.kind.rows) { $0.addRowKey(id) }
        // The number of a row stays.
        guard change.before == nil || change.after == nil else { return }
        add(change.after == nil ? .remove : .put(id), in: change.kind.numbers) { key in
            key.add48(number)
            return true
        }
    }

    /// Goes from the entry before to the entry after.
    private mutating func move(_ index: IndexPlan, _ change: RowChange) {
        let before = batch.addKey(index, old, change.number)
        let after = batch.addKey(index, new, change.number)
        replace(before, .remove, after, .put(.none), in: index.table)
    }

    private mutating func count(_ tally: TallyPlan, _ change: RowChange) {
        let before = batch.addKey(tally, old)
        let after = batch.addKey(tally, new)
        replace(before, .add(-1), after, .add(1), in: change.kind.counts)
    }

    private mutating func replace(_ unique: UniquePlan, _ change: RowChange) {
        let (before, after) = (change.before, change.after)
        let old = batch.addKey { $0.addFolded(unique, before) }
        let new = batch.addKey { $0.addFolded(unique, after) }
        value.set(change.number)
        value.add(change.id)
        replace(old, .remove, new, .put(value.bytes), in: unique.table)
    }

    /// Does nothing where both keys are the same.
    private mutating func replace(
        _ old: EntryBatch.Key?, _ removal: EntryBatch.Action, _ new: EntryBatch.Key?, _ addition: EntryBatch.Action,
        in table: UInt8
    ) {
        if let old, let new, batch.bytes(old).equals(batch.bytes(new)) { return }
        if let old { batch.add(removal, in: table, at: old) }
        if let new { batch.add(addition, in: table, at: new) }
    }
}

extension EntryBatch {
    /// Writes the key of a row's entry in an index; nil when the row has none.
    fileprivate mutating func addKey(_ index: IndexPlan, _ row: borrowing RowKeyParts, _ number: UInt64) -> Key? {
        guard row.hasRow else { return nil }
        return addKey { key in
            guard key.add(index.parts, of: row) else { return false }
            key.add48(number)
            return true
        }
    }

    /// Writes the key of the tally that a row belongs to; nil when it belongs to none.
    fileprivate mutating func addKey(_ tally: TallyPlan, _ row: borrowing RowKeyParts) -> Key? {
        guard row.hasRow else { return nil }
        return addKey { key in
            key.add(tally.number)
            return key.add(tally.parts, of: row)
        }
    }
}

extension KeyBuffer {
    /// Adds the key of what no other row may have; false when the row has nothing that is a key.
    fileprivate mutating func addFolded(_ unique: UniquePlan, _ row: RowView?) -> Bool {
        guard let row, row.has(unique.field) else { return false }
        addFolded(row.text(unique.field))
        return true
    }
}
