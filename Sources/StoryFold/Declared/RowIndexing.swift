package import StoryCore

/// A pass over the rows of a declared model that makes their numbers, the entries of the indexes, and the counts.
///
/// A long build defers them, since a row that many events change has them once. The tables are then those that a fold
/// makes with all of them.
package struct RowIndexing: ~Copyable {
    /// The key in the table of tallies that is there while they are deferred. Tallies have lower numbers.
    package static let deferredKey: [UInt8] = [0xFE]
    /// The greatest number and size of the rows that are copied at a time, in bytes.
    private static let (mostRows, mostBytes) = (1_024, 1 << 18)

    private let kind: KindPlan
    private let store: any TableStore
    private var projection = RowProjection()
    /// Copies of rows, one after the other, with the end offset of each.
    private var copies = KeyBuffer()
    private var ends: [Int] = []
    /// The key of the last row that was copied, and the least key behind it.
    private var last = KeyBuffer()
    private var next = KeyBuffer()
    /// The number of rows that the pass has come to.
    private var count: UInt64 = 0

    /// Creates a pass over the rows of a store that has none of these entries.
    ///
    /// - Parameter kind: the plan of the rows.
    package init(_ kind: KindPlan, in store: any TableStore) {
        (self.kind, self.store) = (kind, store)
    }

    /// Returns true where the rows of a store have none of these entries yet.
    ///
    /// - Throws: any read error of the store.
    package static func isDeferred(in store: any TableStore) throws(StorageError) -> Bool {
        try deferredKey.withBytes { (key) throws(StorageError) in
            try store.withValue(ProgramTables.counts.number, at: key) { _ in }
        }
    }

    /// Notes in a store whether its rows have none of these entries yet.
    ///
    /// - Throws: any error of the store.
    package static func setDeferred(_ isDeferred: Bool, in store: any TableStore) throws(StorageError) {
        guard !isDeferred else { return try store.put(.none, in: ProgramTables.counts.number, at: deferredKey) }
        try deferredKey.withBytes { (key) throws(StorageError) in
            try store.remove(in: ProgramTables.counts.number, at: key)
        }
    }

    /// Makes the entries of all rows, or of those that an earlier call, which ended early, has not come to.
    ///
    /// - Parameter step: called with the number of rows so far, whose entries are complete; returns false to end early.
    /// - Returns: false where it ended early.
    /// - Throws: the error of the store, after which the entries are of no use; that of `step`.
    package mutating func run(_ step: (_ rows: UInt64) throws(StorageError) -> Bool) throws(StorageError) -> Bool {
        while try copyRows() {
            var start = 0
            for end in ends {
                let row = copies.bytes.slice(start, count: end - start)
                try projection.applyEntries(RowChange(stored: row, of: kind), to: store)
                start = end
            }
            count += UInt64(ends.count)
            guard try step(count) else { return false }
        }
        return true
    }

    /// Copies the next rows, since the store must not change while they are walked; returns false where there are none.
    private mutating func copyRows() throws(StorageError) -> Bool {
        copies.clear()
        ends.removeAll(keepingCapacity: true)
        try store.walk(kind.rows, KeyBounds(lower: next.bytes, upper: nil), .ascending) { key, row in
            last.set(key)
            copies.add(row)
            ends.append(copies.count)
            return ends.count < RowIndexing.mostRows && copies.count < RowIndexing.mostBytes
        }
        next.set(last.bytes)
        next.add(0)
        return !ends.isEmpty
    }
}

extension RowChange {
    /// Creates the change that makes a stored row.
    ///
    /// - Throws: `.corrupt` for a damaged row.
    init(stored bytes: UnsafeRawBufferPointer, of kind: KindPlan) throws(StorageError) {
        guard let row = RowView(kind.layout, bytes) else {
            throw .corrupt("a stored row of \(kind.schema.name) is damaged", at: nil)
        }
        self.init(
            kind: kind, number: row.number, key: row.key, position: row.position, before: nil, after: row, fields: .max)
    }
}
