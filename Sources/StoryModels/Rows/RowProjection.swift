import StoryCore

/// Writes what a change of a row makes of the tables: the row, its index entries, the tallies, what is unique.
///
/// It needs nothing but the change, so entries are the same whoever takes them in, and in whatever order rows come.
struct RowProjection: ~Copyable {
    private var key = KeyBuffer()
    private var value = KeyBuffer()
    private var before = KeyBuffer()
    private var after = KeyBuffer()

    /// - Throws: what the tables cannot do any more.
    mutating func apply(_ change: borrowing RowChange, to tables: any EntryWriting) throws(StorageError) {
        try putRow(change, to: tables)
        let isMoved = change.before == nil || change.after == nil
        for index in change.kind.indexes where isMoved || index.fields & change.fields != 0 {
            try move(index, change, in: tables)
        }
        for tally in change.kind.tallies where isMoved || tally.fields & change.fields != 0 {
            try count(tally, change, in: tables)
        }
        if let unique = change.kind.unique, isMoved || change.fields >> UInt64(unique.field) & 1 == 1 {
            try replace(unique, change, in: tables)
        }
    }

    /// Puts or removes an entry of a set.
    ///
    /// - Throws: what the tables cannot do any more.
    mutating func apply(_ entry: MembershipEntry, to tables: any EntryWriting) throws(StorageError) {
        key.set(entry.number)
        key.addName(entry.name)
        if entry.isPut {
            try tables.put(.none, in: entry.table, at: key.bytes)
        } else {
            try tables.remove(in: entry.table, at: key.bytes)
        }
    }

    private mutating func putRow(_ change: borrowing RowChange, to tables: any EntryWriting) throws(StorageError) {
        key.setRowKey(change.id)
        if let after = change.after {
            try tables.put(after.bytes, in: change.kind.rows, at: key.bytes)
            guard change.before == nil else { return }
            key.set(change.number)
            try tables.put(change.id, in: change.kind.numbers, at: key.bytes)
        } else {
            try tables.remove(in: change.kind.rows, at: key.bytes)
            key.set(change.number)
            try tables.remove(in: change.kind.numbers, at: key.bytes)
        }
    }

    /// Goes from the entry before to the entry after.
    private mutating func move(
        _ index: IndexPlan, _ change: borrowing RowChange, in tables: any EntryWriting
    ) throws(StorageError) {
        let was = before.setIndexKey(index, change.before, change.number)
        let isThere = after.setIndexKey(index, change.after, change.number)
        if was, isThere, before.bytes.equals(after.bytes) { return }
        if was { try tables.remove(in: index.table, at: before.bytes) }
        if isThere { try tables.put(.none, in: index.table, at: after.bytes) }
    }

    private mutating func count(
        _ tally: TallyPlan, _ change: borrowing RowChange, in tables: any EntryWriting
    ) throws(StorageError) {
        let was = before.setTallyKey(tally, change.before)
        let isThere = after.setTallyKey(tally, change.after)
        if was, isThere, before.bytes.equals(after.bytes) { return }
        if was { try tables.add(-1, in: change.kind.counts, at: before.bytes) }
        if isThere { try tables.add(1, in: change.kind.counts, at: after.bytes) }
    }

    private mutating func replace(
        _ unique: UniquePlan, _ change: borrowing RowChange, in tables: any EntryWriting
    ) throws(StorageError) {
        let was = before.setFolded(unique, change.before)
        let isThere = after.setFolded(unique, change.after)
        if was, isThere, before.bytes.equals(after.bytes) { return }
        if was { try tables.remove(in: unique.table, at: before.bytes) }
        guard isThere else { return }
        value.set(change.number)
        value.add(change.id)
        try tables.put(value.bytes, in: unique.table, at: after.bytes)
    }
}

extension KeyBuffer {
    /// Makes it a row's entry in an index; false when the row has none.
    fileprivate mutating func setIndexKey(_ index: IndexPlan, _ row: RowView?, _ number: UInt64) -> Bool {
        clear()
        guard let row else { return false }
        for part in index.parts {
            guard add(part, of: row) else { return false }
        }
        add48(number)
        return isKey
    }

    /// Makes it the key of the tally that a row belongs to; false when it belongs to none.
    fileprivate mutating func setTallyKey(_ tally: TallyPlan, _ row: RowView?) -> Bool {
        clear()
        guard let row else { return false }
        add(tally.number)
        for part in tally.parts {
            guard add(part, of: row) else { return false }
        }
        return isKey
    }

    /// Makes it the key of what no other row may have; false when the row has nothing that is a key.
    fileprivate mutating func setFolded(_ unique: UniquePlan, _ row: RowView?) -> Bool {
        clear()
        guard let row, row.has(unique.field) else { return false }
        addFolded(row.text(unique.field))
        return isKey
    }
}
