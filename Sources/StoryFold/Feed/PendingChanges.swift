import StoryCore

/// The row changes of events that may not be durable yet, in the order of the events, in one block of memory.
///
/// Nothing is allocated for a change: the states before and after it are copied behind those of the last one.
struct PendingChanges {
    /// One change; its bytes are the key, the row before and the row after.
    private struct PendingChange: BitwiseCopyable {
        let kind: KindPlan
        let number: UInt64
        let position: Position
        /// The offset of its bytes, counted from the first change ever noted.
        let start: Int
        let keyCount: Int
        /// The size of the row before the event in bytes; negative where there was none.
        let beforeCount: Int
        /// The size of the row after the event in bytes; negative where it was removed.
        let afterCount: Int
    }

    /// The memory that is kept while nothing is pending, in bytes.
    private static let keptBytes = 1 << 20

    private var changes: [PendingChange] = []
    /// The number of changes at the front that were dropped, and are removed later.
    private var dropped = 0
    private var bytes: [UInt8] = []
    /// The offset of the first byte of `bytes`.
    private var base = 0
    /// The index of the first entry of each row, of the changes before `indexed`.
    private var firsts: [RowNumber: Int] = [:]
    private var indexed = 0

    /// Creates an empty list.
    init() {}

    /// The number of changes.
    var count: Int { changes.count - dropped }

    /// The size of their rows and keys, in bytes.
    var byteCount: Int { count == 0 ? 0 : base + bytes.count - changes[dropped].start }

    // MARK: Inputs

    /// Notes a change.
    mutating func append(_ change: borrowing RowChange) {
        changes.append(
            PendingChange(
                kind: change.kind, number: change.number, position: change.position, start: base + bytes.count,
                keyCount: change.key.count, beforeCount: change.before?.bytes.count ?? -1,
                afterCount: change.after?.bytes.count ?? -1))
        bytes.append(contentsOf: change.key)
        if let before = change.before { bytes.append(contentsOf: before.bytes) }
        if let after = change.after { bytes.append(contentsOf: after.bytes) }
    }

    /// Removes the changes by events through a position, each after `body` has seen it.
    mutating func removeFirst(through position: Position, _ body: (RowChange) -> Void) {
        guard dropped < changes.count, changes[dropped].position <= position else { return }
        while dropped < changes.count, changes[dropped].position <= position {
            withChange(dropped, body)
            dropped += 1
        }
        changesWereRemoved()
    }

    /// Removes the changes by events after a position.
    mutating func removeLast(after position: Position) {
        guard let first = changes[dropped...].firstIndex(where: { $0.position > position }) else { return }
        bytes.removeLast(base + bytes.count - changes[first].start)
        changes.removeLast(changes.count - first)
        changesWereRemoved()
    }

    /// Releases the dropped changes once they are the larger part, so that each byte is moved once at most.
    private mutating func changesWereRemoved() {
        (firsts, indexed) = ([:], 0)
        if dropped == changes.count {
            base += bytes.count
            changes.removeAll(
                keepingCapacity: changes.capacity * MemoryLayout<PendingChange>.stride <= PendingChanges.keptBytes)
            bytes.removeAll(keepingCapacity: bytes.capacity <= PendingChanges.keptBytes)
        } else if dropped > changes.count / 2 {
            let start = changes[dropped].start
            bytes.removeFirst(start - base)
            changes.removeFirst(dropped)
            base = start
        } else {
            return
        }
        dropped = 0
    }

    // MARK: Rows as they were

    /// Returns true when a change of the row is pending.
    mutating func has(_ row: RowNumber) -> Bool {
        index()
        return firsts[row] != nil
    }

    /// Returns the number of rows that each kind, by its number, gained or lost by events after a position; without the kinds
    /// of which no row changed.
    func growth(after position: Position) -> [Int: Int64] {
        var growth: [Int: Int64] = [:]
        for entry in changes[dropped...] where entry.position > position {
            let difference: Int64 = (entry.afterCount < 0 ? 0 : 1) - (entry.beforeCount < 0 ? 0 : 1)
            growth[entry.kind.schema.number, default: 0] += difference
        }
        return growth
    }

    /// Calls `body` with the row that had a key before its first pending change, nil where there was none.
    ///
    /// - Returns: nil, without a call, where no change of it is pending.
    func withRow<Result>(
        before schema: KindSchema, _ key: UnsafeRawBufferPointer, _ body: (RowView?) -> Result
    ) -> Result? {
        for index in dropped..<changes.count where changes[index].kind.schema === schema {
            var result: Result?
            withChange(index) { if $0.key.equals(key) { result = body($0.before) } }
            if let result { return result }
        }
        return nil
    }

    /// Calls `body` with each row of a kind that has a pending change, as it was before the first one, and with the
    /// number of that change. `index` must have been called since the last input.
    func forEachRow(before schema: KindSchema, _ body: (RowView, _ change: Int) -> Void) {
        for index in firsts.values where changes[index].beforeCount >= 0 && changes[index].kind.schema === schema {
            withChange(index) { if let before = $0.before { body(before, index) } }
        }
    }

    /// Returns a copy of the row before a change, by the number that `forEachRow` gave it.
    func row(before change: Int) -> RowCopy? {
        var row: RowCopy?
        withChange(change) { row = $0.before.map { RowCopy($0) } }
        return row
    }

    /// Notes the first change of each row.
    mutating func index() {
        for index in max(indexed, dropped)..<changes.count {
            let row = RowNumber(changes[index].kind.schema, changes[index].number)
            if firsts[row] == nil { firsts[row] = index }
        }
        indexed = changes.count
    }

    private func withChange(_ index: Int, _ body: (RowChange) -> Void) {
        let entry = changes[index]
        bytes.withUnsafeBytes { all in
            let before = entry.start - base + entry.keyCount
            let after = before + max(entry.beforeCount, 0)
            func row(_ start: Int, _ count: Int) -> RowView? {
                count < 0 ? nil : RowView(trusted: all.slice(start, count: count), entry.kind.layout)
            }
            body(
                RowChange(
                    kind: entry.kind, number: entry.number, key: all.slice(entry.start - base, count: entry.keyCount),
                    position: entry.position, before: row(before, entry.beforeCount),
                    after: row(after, entry.afterCount), fields: .max))
        }
    }
}

/// The number of a row among all kinds.
struct RowNumber: Hashable {
    private let kind: Int
    private let number: UInt64

    /// Creates the number of a row of a kind.
    init(_ schema: KindSchema, _ number: UInt64) {
        kind = schema.number
        self.number = number
    }
}
